// @vitest-environment node
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const css = readFileSync(fileURLToPath(new URL('../../src/styles/tokens.css', import.meta.url)), 'utf8');

type Theme = 'light' | 'dark';
type Tokens = Record<string, Record<Theme, string>>;

function block(start: string): string {
    const at = css.indexOf(start);
    if (at < 0) throw new Error(`tokens.css has no ${start}`);
    return css.slice(at, css.indexOf('}', at));
}

function read(text: string): Tokens {
    const found = text.matchAll(/--([a-z0-9-]+):\s*light-dark\(\s*(#[0-9a-f]{6})\s*,\s*(#[0-9a-f]{6})\s*\)/g);
    return Object.fromEntries([...found].map(([, name, light, dark]) => [name, { light, dark }])) as Tokens;
}

const normal = read(block(':root {'));
const contrastText = block(":root[data-contrast='more'] {");
const high = { ...normal, ...read(contrastText) };

/** Relative luminance and ratio as WCAG 2.2 defines them. */
function luminance(colour: string): number {
    const [r, g, b] = [1, 3, 5].map(at => {
        const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(one: string, other: string): number {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
    return (high + 0.05) / (low + 0.05);
}

function token(tokens: Tokens, name: string, theme: Theme): string {
    const value = tokens[name]?.[theme];
    if (!value) throw new Error(`tokens.css has no --${name}`);
    return value;
}

const words = ['text', 'muted', 'accent', 'ok', 'warn', 'error', 'person'];
const agents = Array.from({ length: 8 }, (_, at) => `agent-${at}`);
const code = ['code-word', 'code-string', 'code-number', 'code-name', 'code-comment'];
const grounds = ['page', 'surface', 'raised', 'hover', 'selected'];
const pairs: [string, string, number][] = [
    ...[...words, ...agents, ...code].flatMap(word =>
        grounds.map((ground): [string, string, number] => [word, ground, 4.5]),
    ),
    ...['page', 'surface', 'raised'].map((ground): [string, string, number] => ['border', ground, 3]),
    ...['info-ground', 'warn-ground', 'error-ground', 'ok-ground'].flatMap(ground =>
        ['text', 'muted', 'accent'].map((word): [string, string, number] => [word, ground, 4.5]),
    ),
    ['error', 'error-ground', 4.5],
    ['on-accent', 'accent', 4.5],
    ['on-accent', 'accent-strong', 4.5],
    ['on-error', 'error', 4.5],
];

describe('the table of the design', () => {
    const wanted: Record<string, [string, string]> = {
        page: ['#ffffff', '#0f1216'],
        surface: ['#f5f6f8', '#171b21'],
        raised: ['#ffffff', '#1e242c'],
        text: ['#1b1f24', '#e7eaee'],
        muted: ['#57606a', '#a3adb8'],
        accent: ['#0b5fce', '#6cb0ff'],
        ok: ['#1a7f37', '#5fd07f'],
        warn: ['#8a5a00', '#e0b04a'],
        error: ['#b3261e', '#ff8f85'],
        person: ['#6639a6', '#c3a6ff'],
        border: ['#868e99', '#6b7682'],
    };
    it.each(Object.entries(wanted))('--%s is as agreed', (name, [light, dark]) => {
        expect(normal[name]).toEqual({ light, dark });
    });
    it('gives the measured ratios', () => {
        expect(ratio('#1b1f24', '#ffffff')).toBeCloseTo(16.6, 1);
        expect(ratio('#6b7682', '#1e242c')).toBeCloseTo(3.4, 1);
    });
});

for (const theme of ['light', 'dark'] as const) {
    describe(`contrast, ${theme}`, () => {
        it.each(pairs)('%s on %s', (word, ground, least) => {
            expect(ratio(token(normal, word, theme), token(normal, ground, theme))).toBeGreaterThanOrEqual(
                least,
            );
        });
    });
    describe(`high contrast, ${theme}`, () => {
        it.each(pairs)('%s on %s is no worse', (word, ground, least) => {
            expect(ratio(token(high, word, theme), token(high, ground, theme))).toBeGreaterThanOrEqual(least);
        });
        it.each(words)('%s reaches 7:1 on page, surface and raised', word => {
            for (const ground of ['page', 'surface', 'raised']) {
                expect(ratio(token(high, word, theme), token(high, ground, theme))).toBeGreaterThanOrEqual(7);
            }
        });
        it('borders reach 4.5:1', () => {
            expect(ratio(token(high, 'border', theme), token(high, 'page', theme))).toBeGreaterThanOrEqual(
                4.5,
            );
        });
    });
}

describe('how themes are chosen', () => {
    it('has the same high contrast for the switch and for the system', () => {
        expect(read(block(":root:not([data-contrast='normal']) {"))).toEqual(read(contrastText));
    });
    it('follows the system and lets the switch win', () => {
        expect(css).toMatch(/:root \{\s*color-scheme: light dark;/);
        expect(css).toMatch(/:root\[data-theme='light'\] \{\s*color-scheme: light;\s*\}/);
        expect(css).toMatch(/:root\[data-theme='dark'\] \{\s*color-scheme: dark;\s*\}/);
        expect(css).toContain('@media (prefers-contrast: more)');
        expect(css).toContain('@media (forced-colors: active)');
    });
});
