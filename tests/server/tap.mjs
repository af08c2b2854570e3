// tap.mjs: tests that are sentences, one after the other, printed as TAP.
//
//   test('a message is stored once', async () => { … });
//   await finish();
//
// A test that throws has failed; so has one that takes longer than its limit.
import { inspect } from 'node:util';

const tests = [];
const cleaners = [];
const slow = Number(process.env.SKEIN_TEST_SLOW ?? 1);

// How many rounds of something to do: SKEIN_TEST_ROUNDS is the share in percent.
export const rounds = n => Math.max(1, Math.round(n * Number(process.env.SKEIN_TEST_ROUNDS ?? 100) / 100));
// A time limit in milliseconds, longer where everything is slower.
export const limit = ms => ms * slow;

export function test(sentence, run, ms = 30000) {
    tests.push({ sentence, run, ms });
}

// Run when all tests are over, the last one first; for what several of them use.
export function finally_(fn) {
    cleaners.push(fn);
}

// Fails with `what` when the promise is not settled in time.
export async function within(ms, what, promise) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not within ${limit(ms)} ms: ${what}`)), limit(ms));
    });
    try {
        return await Promise.race([promise, late]);
    } finally {
        clearTimeout(timer);
    }
}

// Looks again and again until there is something, and gives it; for what no event tells.
export async function eventually(what, look, ms = 10000) {
    const end = Date.now() + limit(ms);
    for (;;) {
        const found = await look();
        if (found) return found;
        if (Date.now() > end) throw new Error(`not within ${limit(ms)} ms: ${what}`);
        await new Promise(resolve => setTimeout(resolve, 20));
    }
}

const comment = text => text.split('\n').map(line => `# ${line}`).join('\n');

function explain(error) {
    if (!(error instanceof Error)) return inspect(error);
    const { message, stack, ...more } = error;
    const place = (stack ?? '').split('\n').filter(line => line.includes('.mjs')).slice(0, 6).join('\n');
    const details = Object.keys(more).length ? `\n${inspect(more, { depth: 6 }).slice(0, 4000)}` : '';
    return `${message.slice(0, 6000)}\n${place}${details}`;
}

export async function finish() {
    const only = process.env.SKEIN_TEST_ONLY;
    const chosen = tests.filter(t => !only || t.sentence.includes(only));
    let failed = 0;

    console.log(`1..${chosen.length}`);
    for (const [i, t] of chosen.entries()) {
        try {
            await within(t.ms, 'the end of the test', t.run());
            console.log(`ok ${i + 1} - ${t.sentence}`);
        } catch (error) {
            failed++;
            console.log(`not ok ${i + 1} - ${t.sentence}`);
            console.log(comment(explain(error)));
        }
    }
    for (const fn of cleaners.reverse()) await fn();
    process.exit(failed ? 1 : 0);
}
