// Where a stream may begin, so that nothing is missed of what happened since the first answers were made.

import { expect, test } from 'vitest';
import { heedEvent, oldestNamed } from '../../src/api/standing';

const answer = (event?: string) =>
    new Response('{}', { headers: event === undefined ? {} : { 'skein-event-id': event } });
const of = (...answers: (Response | null)[]) =>
    oldestNamed(() => {
        answers.forEach(heedEvent);
        return Promise.resolve();
    });

test('a stream begins behind the oldest answer', async () => {
    expect(await of(answer('42'), answer('40'), answer('41'))).toBe(40);
    expect(await of(answer('0'), answer('7'))).toBe(0);
});

test('nothing is known when an answer names no event, did not come, or none was asked for', async () => {
    expect(await of(answer('42'), answer())).toBeNull();
    expect(await of(answer('42'), null)).toBeNull();
    expect(await of()).toBeNull();
});

test('an answer that comes later is not counted', async () => {
    const first = of(answer('42'));
    expect(await first).toBe(42);
    heedEvent(answer('1'));
    expect(await first).toBe(42);
});
