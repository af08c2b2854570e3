// embed.mjs: turns the built page into C.
//
//   node tools/embed.mjs FOLDER OUT.c
//
// Each file stands there as it is and, where that is shorter, compressed. web.h of src/http says what
// the table holds. The same files give the same bytes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const types = {
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.json': 'application/json',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
    '.woff2': 'font/woff2',
};

// The server looks for index.html and assets/FILE; anything else would never be found.
function check(name) {
    if (!types[extname(name)]) throw new Error(`embed: no content type is known for ${name}`);
    if (name !== 'index.html' && !/^assets\/[\w.-]+$/.test(name))
        throw new Error(`embed: ${name} is not where the server looks`);
}

export function filesOf(folder) {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
        .sort();
    if (!names.includes('index.html')) throw new Error(`embed: there is no index.html in ${folder}`);
    return names.map(name => {
        check(name);
        const bytes = readFileSync(join(folder, name));
        const packed = gzipSync(bytes, { level: 9 });
        const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
        return {
            name,
            type: types[extname(name)],
            tag,
            bytes,
            packed: packed.length < bytes.length ? packed : Buffer.alloc(0),
        };
    });
}

// Compilers read a text several times as fast as a list of numbers. Three digits, so that a digit may follow.
const escapes = Array.from({ length: 256 }, (_, code) => {
    const char = String.fromCharCode(code);
    if (char === '\n') return '\\n';
    // "??" begins a trigraph.
    if (code < 32 || code > 126 || char === '?') return `\\${code.toString(8).padStart(3, '0')}`;
    return char === '"' || char === '\\' ? `\\${char}` : char;
});

function text(name, bytes) {
    let out = `static const char ${name}[] =`;
    for (let i = 0; i < bytes.length || i === 0; i += 96) {
        let line = '';
        for (const byte of bytes.subarray(i, i + 96)) line += escapes[byte];
        out += `\n"${line}"`;
    }
    return `${out};\n`;
}

export function sourceOf(files) {
    let out = '#include "http/web.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n';
    files.forEach((file, i) => {
        out += text(`bytes${i}`, file.bytes) + text(`packed${i}`, file.packed);
    });
    out += '\nconst skn_web_file skn_web_files[] = {\n';
    files.forEach((file, i) => {
        out += `    {"${file.name}", "${file.type}", "W/\\"${file.tag}\\"", bytes${i}, ${file.bytes.length}, packed${i}, ${file.packed.length}},\n`;
    });
    return `${out}    {0},\n};\n`;
}

function main() {
    const [folder, out] = process.argv.slice(2);
    if (!folder || !out) {
        console.error('usage: node tools/embed.mjs FOLDER OUT.c');
        process.exit(2);
    }
    writeFileSync(out, sourceOf(filesOf(resolve(folder))));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main();
