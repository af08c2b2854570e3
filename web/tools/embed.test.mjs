import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { filesOf, sourceOf } from './embed.mjs';

const top = mkdtempSync(join(tmpdir(), 'embed-'));
afterAll(() => rmSync(top, { recursive: true }));
let folder;
beforeEach(() => {
    folder = mkdtempSync(join(top, 'page-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>'.repeat(40));
    writeFileSync(join(folder, 'assets/a-1.svg'), '<svg/>');
});

// What a compiler makes of the text with this name.
const bytesOf = (source, name) => {
    const [, literal] = source.match(new RegExp(` ${name}\\[\\] =\\n([^]*?");\\n`));
    const inner = literal
        .split('\n')
        .map(line => line.slice(1, -1))
        .join('');
    return Buffer.from(
        inner.replace(/\\(\d{3}|.)/g, (_, e) =>
            e === 'n' ? '\n' : e.length === 3 ? String.fromCharCode(parseInt(e, 8)) : e,
        ),
        'latin1',
    );
};

test('files come in order, compressed where that is shorter', () => {
    const [svg, html] = filesOf(folder);
    expect([svg.name, html.name]).toEqual(['assets/a-1.svg', 'index.html']);
    expect(svg.packed.length).toBe(0);
    expect(gunzipSync(html.packed).equals(html.bytes)).toBe(true);
    expect(svg.tag).not.toBe(html.tag);
});

test('the C holds the bytes', () => {
    writeFileSync(
        join(folder, 'assets/all-1.js'),
        Buffer.from([...Array(256).keys(), ...Buffer.from('"??=\\\\n1\\0";\r\n')]),
    );
    const files = filesOf(folder);
    const source = sourceOf(files);
    files.forEach((file, i) => {
        expect(bytesOf(source, `bytes${i}`).equals(file.bytes)).toBe(true);
        expect(bytesOf(source, `packed${i}`).equals(file.packed)).toBe(true);
    });
    expect(source).toContain('{"index.html", "text/html; charset=utf-8", ');
    expect(sourceOf(filesOf(folder))).toBe(source);
});

test('what the server would never find is refused', () => {
    writeFileSync(join(folder, 'robots.txt'), '');
    expect(() => filesOf(folder)).toThrow('no content type is known for robots.txt');
    rmSync(join(folder, 'robots.txt'));
    writeFileSync(join(folder, 'other.html'), '');
    expect(() => filesOf(folder)).toThrow('other.html is not where the server looks');
    rmSync(join(folder, 'other.html'));
    rmSync(join(folder, 'index.html'));
    expect(() => filesOf(folder)).toThrow('there is no index.html');
});
