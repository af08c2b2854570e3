// views-kit.mjs: what the tests of tree, timeline and history share: stores with a past, and looks at a whole screen.
import { run } from '../../../tests/server/lib.mjs';
import { assert, axe, page, screenshot, until, visit } from './kit.mjs';

// Stores messages as they are. lane, call: of a delegation.
export async function append(w, messages, { lane, call } = {}) {
    const more = [...(lane ? [`--lane=${lane}`] : []), ...(call ? [`--call=${call}`] : [])];
    const done = await run(
        [
            'append',
            ...w.server.store.args,
            `--world=${w.name}`,
            `--conversation=${w.chat}`,
            '--quiet',
            ...more,
        ],
        { input: messages.map(m => JSON.stringify(m)).join('\n') + '\n' },
    );
    assert.equal(done.code, 0, done.err);
}
const clock = n => new Date(Date.UTC(2026, 0, 5, 14, 0, n)).toISOString();
// A message; `n` is the second of the day it was said in.
export const human = (messageId, content, n, more = {}) => ({
    messageId,
    role: 'user',
    sender: 'human',
    content,
    createdAt: clock(n),
    ...more,
});
export const agent = (messageId, sender, content, n, more = {}) => ({
    messageId,
    role: 'assistant',
    sender,
    content,
    createdAt: clock(n),
    ...more,
});
export const called = (toolCallId, toolName, args) => ({ toolCalls: [{ toolCallId, toolName, args }] });
export const tool = (messageId, sender, content, n, toolCallId, more = {}) => ({
    messageId,
    role: 'tool',
    sender,
    content,
    toolCallId,
    createdAt: clock(n),
    ...more,
});

// Waits until there are so many elements.
export const counts = (p, selector, n) =>
    until(
        p,
        `there are ${n} of ${selector}`,
        ([what, many]) => document.querySelectorAll(what).length === many,
        [selector, n],
    );

export const at = (w, view, more = '') => `/w/${w.name}/c/${w.chat}?view=${view}${more}`;

// At three widths and in both themes: nothing to scroll sideways, nothing that axe finds, no target too small.
export async function looks(server, to, name, ready) {
    for (const [width, height, theme] of [
        [1280, 800, 'light'],
        [1280, 800, 'dark'],
        [390, 844, 'dark'],
        [390, 844, 'light'],
        [320, 640, 'light'],
    ]) {
        const p = await visit(await page({ width, height, theme }), server, to);
        await until(
            p,
            `${name} is on screen at ${width}`,
            sel => document.querySelector(sel) !== null,
            ready,
        );
        const wide = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} at ${width}: ${wide} px too wide`);
        const small = await p.$$eval(
            'main button, main a[href], main input, main select',
            (all, least) =>
                all
                    .map(e => ({ e, box: (e.closest('label') ?? e).getBoundingClientRect() }))
                    .filter(
                        ({ e, box }) =>
                            box.width > 0 &&
                            !e.closest('.visually-hidden') &&
                            (box.height < least || box.width < least),
                    )
                    .map(({ e, box }) => `${e.outerHTML.slice(0, 120)} ${box.width}x${box.height}`),
            24,
        );
        assert.deepEqual(small, [], `targets of ${name} at ${width}`);
        // Around the view is the frame, which has tests of its own.
        await axe(p);
        await screenshot(p, `${name}-${width}-${theme}`);
        await p.close();
    }
}
