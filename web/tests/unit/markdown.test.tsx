// The text of messages: hostile ones stay in their box, and a text that came in pieces looks as if it had come whole.

import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Markdown } from '../../src/parts/markdown/markdown';
import { pieces } from '../../src/parts/markdown/long-text';
import { safeAddress } from '../../src/parts/markdown/safe';

let host: HTMLElement;
beforeEach(() => {
    host = document.createElement('div');
    document.body.append(host);
});
afterEach(() => {
    render(null, host);
    host.remove();
});

function html(text: string, live = false): string {
    render(<Markdown text={text} live={live} />, host);
    return host.innerHTML;
}

const ALLOWED = new Set([
    'DIV',
    'P',
    'UL',
    'OL',
    'LI',
    'BLOCKQUOTE',
    'HR',
    'H4',
    'H5',
    'H6',
    'A',
    'STRONG',
    'EM',
    'DEL',
    'CODE',
    'PRE',
    'BR',
    'TABLE',
    'THEAD',
    'TBODY',
    'TR',
    'TH',
    'TD',
    'SPAN',
    'BUTTON',
]);

function assertHarmless(): void {
    for (const element of host.querySelectorAll('*')) {
        expect(ALLOWED.has(element.tagName), element.tagName).toBe(true);
        for (const name of element.getAttributeNames())
            expect(name.startsWith('on'), `${element.tagName} ${name}`).toBe(false);
        const address = element.getAttribute('href');
        if (address !== null) {
            expect(address).toMatch(/^(https?:\/\/|mailto:)/);
            expect(element.getAttribute('rel')).toBe('noopener noreferrer');
            expect(element.getAttribute('target')).toBe('_blank');
        }
    }
}

describe('hostile texts', () => {
    const hostile: Record<string, string> = {
        script: '<script>window.owned = 1</script>',
        handler: 'a <img src=x onerror="window.owned = 1"> b',
        block: '<div onclick="window.owned=1" style="position:fixed">\n\n**x**\n\n</div>',
        javascript:
            '[click](javascript:alert(1)) <javascript:alert(1)> [x](java\nscript:alert(1)) [y](&#106;avascript:alert(1))',
        data: '[x](data:text/html;base64,PHNjcmlwdD4=) ![x](data:image/svg+xml,<svg onload=alert(1)>)',
        tab: '[x](\tjavascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](vbscript:x) [f](file:///etc/passwd)',
        reference: '[x][a]\n\n[a]: javascript:alert(1)',
        image: '![alt words](https://example.org/track.gif)',
        title: '[x](https://example.org "\\" onmouseover=alert(1)")',
        code: '```"><img src=x onerror=alert(1)>\n</code></pre><script>1</script>\n```',
        table: '| <b onclick=x> | [a](javascript:1) |\n|---|---|\n| <style>*{display:none}</style> | ![](//x) |',
        comment: '<!-- <script>1</script> -->\n<?php 1 ?>\n<![CDATA[<script>]]>',
        autolink: 'www.example.org https://example.org/<script> me@example.org',
    };
    for (const [name, text] of Object.entries(hostile)) {
        it(name, () => {
            html(text);
            assertHarmless();
            for (let cut = 0; cut <= text.length; cut++) html(text.slice(0, cut), true);
            assertHarmless();
        });
    }
    it('shows raw HTML as the text that it is', () => {
        html('<script>alert(1)</script>');
        expect(host.textContent).toBe('<script>alert(1)</script>');
    });
    it('makes a link of an image, and loads nothing', () => {
        html('![a cat](https://example.org/cat.png)');
        expect(host.querySelector('img')).toBe(null);
        expect(host.querySelector('a')!.textContent).toContain('a cat');
    });
    it('shows where a link that is not opened would have gone', () => {
        html('[free money](javascript:steal())');
        expect(host.querySelector('a')).toBe(null);
        expect(host.textContent).toBe('free money (javascript:steal())');
    });
    it('shows characters that would reorder the text', () => {
        html('user \u202Etxt.exe\u202C and `\u2066code`');
        expect(host.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        expect(host.textContent).toContain('U+202E');
        expect(host.textContent).toContain('U+2066');
        expect(host.firstElementChild!.getAttribute('dir')).toBe('auto');
    });
    it('shows characters that hide something, and leaves those that a script or a picture needs', () => {
        html('pay\u200bpal\u00ad \u{e0041} \ufe0f');
        expect(host.textContent).toBe('payU+200BpalU+00AD U+E0041 \ufe0f');
        const kept =
            '\u0645\u200c\u0647 \u05d0\u200f! \u1780\u200b\u1781 \u2764\ufe0f\u200d\u{1f525} 1\ufe0f\u20e3 ' +
            '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
        html(kept);
        expect(host.textContent).toBe(kept);
    });
});

describe('addresses', () => {
    it('opens only the web and mail', () => {
        expect(safeAddress('https://example.org/a?b=c')).toBe('https://example.org/a?b=c');
        expect(safeAddress('mailto:a@example.org')).toBe('mailto:a@example.org');
        for (const bad of [
            'javascript:1',
            ' javascript:1',
            'java\tscript:1',
            '\u202ejavascript:1',
            'data:x',
            '//example.org',
            '/x',
            '#x',
            'https:',
            'blob:x',
            'about:blank',
            'https://' + 'x'.repeat(5000),
        ])
            expect(safeAddress(bad), bad).toBe(null);
    });
});

describe('texts that are made to be slow', () => {
    const slow: Record<string, string> = {
        quotes: '>'.repeat(50_000),
        lists: '- '.repeat(20_000),
        brackets: '['.repeat(50_000),
        links: '[a]('.repeat(12_000),
        images: '![['.repeat(12_000),
        stars: '*a **a '.repeat(7_000),
        underscores: '_a __a '.repeat(7_000),
        ticks: '`a``b```'.repeat(6_000),
        angles: '<a '.repeat(15_000),
        comments: '<!--'.repeat(12_000),
        tildes: '~~a ~a '.repeat(7_000),
        entities: '&'.repeat(50_000),
        pipes: `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${`|${'b|'.repeat(2000)}\n`.repeat(10)}`,
        fences: '```\n'.repeat(12_000),
        hashes: '# '.repeat(25_000),
        spaces: ' '.repeat(50_000) + 'x',
        newlines: '\n'.repeat(50_000),
        mails: 'a@'.repeat(25_000),
        nested: Array.from({ length: 300 }, (_, n) => `${'  '.repeat(n)}- x`).join('\n'),
        definitions: '[a]: b\n'.repeat(8_000),
        word: 'x'.repeat(59_000),
    };
    for (const [name, text] of Object.entries(slow)) {
        it(
            name,
            () => {
                const began = performance.now();
                html(text.slice(0, 60_000));
                assertHarmless();
                // What grows with the square of the text takes minutes; a busy machine takes some seconds.
                expect(performance.now() - began).toBeLessThan(20_000);
                expect(host.querySelectorAll('*').length).toBeLessThan(40_000);
            },
            60_000,
        );
    }
    it('1 MB of one line is cut, and shown whole in a box when asked for', async () => {
        const text = 'x'.repeat(1_000_000);
        html(text);
        expect(host.textContent!.length).toBeLessThan(5000);
        const button = host.querySelector('button')!;
        expect(button.textContent).toBe('Show all 1.0 MB');
        button.click();
        await new Promise(resolve => setTimeout(resolve, 0));
        expect(host.querySelector('.md-box')!.textContent).toBe(text);
    });
});

describe('pieces of a long text', () => {
    it('lose nothing and cut no character', () => {
        for (const text of [
            '',
            'abc',
            'ab\ncd\nef\ngh',
            '😀'.repeat(50),
            'x'.repeat(20) + '\n' + 'y'.repeat(20),
        ]) {
            const cut = pieces(text, 7);
            expect(cut.join('')).toBe(text);
            for (const p of cut) {
                expect(p.length).toBeGreaterThan(0);
                expect(p.isWellFormed?.() ?? true).toBe(true);
            }
        }
    });
});

describe('a text that comes in pieces', () => {
    const texts: string[] = [
        'Hello **world**, this is `code` and *more*.\n\nA second paragraph with [a link](https://example.org).\n',
        '# Title\n\nText\n# Next\ntext\n#not\n\n- a\n- b\n\n  more of b\n\n1. one\n2. two\n\nend',
        'a\n===\n\nb\n---\n\nc\n\n---\n\nd',
        '```js\nconst a = 1;\n\nlet b;\n```\n\nafter\n\n~~~\ntilde\n~~~\n',
        '| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\nafter the table\n\n> quote\n> more\n\nlazy\n',
        'see [name] and [other][name]\n\npara\n\npara\n\npara\n\n[name]: https://example.org\n\nend [name]',
        '- [ ] open\n- [x] done\n\n    indented code\n\n<div>\nraw\n</div>\n\ntail',
        'one\n\ntwo\n\nthree\n\nfour\n\nfive\n\nsix\n\n- list\n\n- of\n\n- three\n\n\n\nseven\r\n\r\neight\r\n',
        '* a\n\n  ```py\n  x = 1\n  ```\n\n* b\n    * c\n        * d\n\n\n1) x\n\n\n2) y\n\ntext ~~gone~~ www.example.org\n\n***\n\nend',
        'مرحبا بالعالم\n\n**مرحبا** hello\n\n\u202Eabc\n\nend\n\nmore\n\nlast',
    ];
    for (const [n, text] of texts.entries()) {
        it(`text ${n}: every cut, and every pair of cuts, ends as the whole does`, () => {
            const whole = html(text);
            render(null, host);
            for (let cut = 0; cut <= text.length; cut++) {
                html(text.slice(0, cut), true);
                html(text, true);
                expect(html(text)).toBe(whole);
                render(null, host);
            }
            for (let cut = 0; cut <= text.length; cut++) html(text.slice(0, cut), true);
            expect(html(text)).toBe(whole);
        }, 60_000);
    }
    it('draws closed blocks once', () => {
        html('first\n\nsecond\n\nthird', true);
        const first = host.querySelector('p')!;
        const text = first.firstChild!;
        html('first\n\nsecond\n\nthird and more\n\nfourth', true);
        expect(host.querySelector('p')).toBe(first);
        expect(first.firstChild).toBe(text);
    });
});
