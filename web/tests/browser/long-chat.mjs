// long-chat.mjs: a conversation of 100 000 messages, and what both its test and its measurement do with it.
import { run } from '../../../tests/server/lib.mjs';
import { assert, until } from './kit.mjs';

export const COUNT = 100_000;

const vocabulary =
    'the quick brown fox jumps over a lazy dog while agents talk about dates and freezes of the launch'.split(
        ' ',
    );
function words(i) {
    const n = ((i * 7919) % 60) + 3;
    return Array.from({ length: n }, (_, j) => vocabulary[(i + j * j) % vocabulary.length]).join(' ');
}

/** Stores COUNT messages in the chat of a world; it takes seconds. */
export async function fill(world, count = COUNT) {
    const lines = Array.from({ length: count }, (_, i) =>
        JSON.stringify({
            role: i % 2 ? 'assistant' : 'user',
            sender: i % 2 ? 'lead' : 'human',
            content: `Message ${i + 1}: ${words(i)}`,
        }),
    );
    const done = await run(
        ['append', ...world.server.store.args, '-w', world.name, '-c', world.chat, '-q', '--json=messageId'],
        { input: `${lines.join('\n')}\n`, ms: 240000 },
    );
    assert.equal(done.code, 0, done.err);
}

export const at = w => `/w/${w.name}/c/${w.chat}`;
export const elements = p => p.evaluate(() => document.querySelectorAll('*').length);

/** Goes to a message by its number, as a person would. */
export async function goTo(p, number) {
    await p.getByRole('button', { name: /^Go to a message by number/ }).click();
    const field = p.getByRole('dialog').getByRole('textbox');
    await field.fill(String(number));
    await field.press('Enter');
    await until(
        p,
        `message ${number} has the focus`,
        n => document.querySelector('.chat-focused')?.getAttribute('aria-posinset') === String(n),
        number,
    );
}

/** Watches, frame by frame, how far the row that is read moves; gives a function that tells the most. */
export async function watchLine(p) {
    await p.evaluate(() => {
        const log = document.querySelector('.chat-log');
        const top = log.getBoundingClientRect().top;
        const row = [...document.querySelectorAll('[data-row]')].find(
            r => r.getBoundingClientRect().bottom > top + 1,
        );
        const began = row.getBoundingClientRect().top;
        const watch = (globalThis.lineWatch = { most: 0, frames: 0, on: true });
        const look = () => {
            watch.most = Math.max(
                watch.most,
                row.isConnected ? Math.abs(row.getBoundingClientRect().top - began) : Infinity,
            );
            watch.frames++;
            if (watch.on) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    });
    return () =>
        p.evaluate(() => {
            globalThis.lineWatch.on = false;
            return globalThis.lineWatch;
        });
}

/** Moves the log by so many pixels, waits for what the page does about it, and tells how far the line is from where it should be. */
export function nudge(p, by) {
    return p.evaluate(async pixels => {
        const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
        const log = document.querySelector('.chat-log');
        const top = log.getBoundingClientRect().top;
        const all = [...document.querySelectorAll('[data-row]')];
        // A row that is in sight before and after.
        const row = all.find(r => r.getBoundingClientRect().bottom > top + (pixels > 0 ? pixels + 1 : 1));
        if (!row) return { off: null, id: null };
        const before = row.getBoundingClientRect().top;
        const from = log.scrollTop;
        log.scrollTop = from + pixels;
        const moved = log.scrollTop - from;
        for (let n = 0; n < 4; n++) await frame();
        return {
            off: row.isConnected ? row.getBoundingClientRect().top - (before - moved) : Infinity,
            moved,
            rows: document.querySelectorAll('[data-row]').length,
        };
    }, by);
}
