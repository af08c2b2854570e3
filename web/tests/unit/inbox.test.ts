import { describe, expect, it } from 'vitest';
import type { InboxItem } from '../../src/api/types';
import { inverse, overlaid, patched } from '../../src/views/inbox/inbox-data';
import { belongs, dayTitle, groups, markName, snoozeTimes } from '../../src/views/inbox/sort';

const now = Date.parse('2026-11-15T12:00:00');
const at = (hoursAgo: number): string => new Date(now - hoursAgo * 3600_000).toISOString();

function item(
    id: string,
    type: InboxItem['type'],
    hoursAgo: number,
    more: Partial<InboxItem> = {},
): InboxItem {
    return {
        id,
        type,
        title: id,
        content: null,
        agent: 'ada',
        world: 'launch',
        chatId: null,
        messageId: null,
        workChatId: null,
        workMessageId: null,
        briefingId: null,
        taskId: null,
        tool: null,
        args: null,
        toolCallId: null,
        definition: null,
        definitionState: null,
        answer: null,
        result: null,
        open: type === 'question',
        readAt: null,
        doneAt: null,
        snoozedUntil: null,
        createdAt: at(hoursAgo),
        ...more,
    };
}

describe('groups of the inbox', () => {
    const items = [
        item('old', 'briefing', 30),
        item('new', 'briefing', 1),
        item('asks', 'question', 50),
        item('gone', 'finished', 2, { doneAt: at(1) }),
        item('later', 'failure', 3, { snoozedUntil: at(-5) }),
    ];
    it('puts what needs the person first, then days, the newest first', () => {
        const shown = groups(items, 'open', now);
        expect(shown.map(g => [g.title, g.items.map(i => i.id)])).toEqual([
            ['Needs you', ['asks']],
            ['Today', ['new']],
            ['Yesterday', ['old']],
        ]);
    });
    it('has the newest first within each group, in whatever order they came', () => {
        const mixed = [
            item('b', 'briefing', 2),
            item('asked first', 'question', 9),
            item('c', 'finished', 3),
            item('a', 'mention', 1),
            item('failed last', 'failure', 4),
        ];
        const ids = groups(mixed, 'open', now).map(g => g.items.map(i => i.id));
        expect(ids).toEqual([
            ['failed last', 'asked first'],
            ['a', 'b', 'c'],
        ]);
        expect(groups(mixed.toReversed(), 'open', now).map(g => g.items.map(i => i.id))).toEqual(ids);
    });
    it('does not put what is done or put off under "Needs you"', () => {
        const done = item('d', 'question', 1, { doneAt: at(0) });
        const later = item('l', 'failure', 1, { snoozedUntil: at(-5) });
        expect(groups([done, later], 'done', now).map(g => g.id)).toEqual(['day-Today']);
        expect(groups([done, later], 'snoozed', now).map(g => g.id)).toEqual(['day-Today']);
    });
    it('shows under each filter what belongs there', () => {
        const ids = (f: Parameters<typeof belongs>[1]): string[] =>
            items.filter(i => belongs(i, f, now)).map(i => i.id);
        expect(ids('needs')).toEqual(['asks']);
        expect(ids('briefings')).toEqual(['old', 'new']);
        expect(ids('done')).toEqual(['gone']);
        expect(ids('snoozed')).toEqual(['later']);
    });
    it('brings a snoozed item back when its time has come', () => {
        const snoozed = item('s', 'briefing', 3, { snoozedUntil: at(1) });
        expect(belongs(snoozed, 'snoozed', now)).toBe(false);
        expect(belongs(snoozed, 'open', now)).toBe(true);
    });
    it('names days', () => {
        expect(dayTitle(at(1), now)).toBe('Today');
        expect(dayTitle(at(24), now)).toBe('Yesterday');
        expect(dayTitle('2026-11-10T10:00:00', now)).toBe('Tuesday 10 November');
        expect(dayTitle('2025-01-10T10:00:00', now)).toBe('10 January 2025');
    });
});

describe('what a bulk action is called', () => {
    it('says how many and which', () => {
        expect(markName(12, false)).toBe('Mark all 12 as read');
        expect(markName(1, false)).toBe('Mark 1 as read');
        expect(markName(3, true)).toBe('Mark these 3 as read');
        expect(markName(1, true)).toBe('Mark this one as read');
    });
});

describe('a change and its opposite', () => {
    const one = item('a', 'briefing', 1);
    it.each([[{ read: true }], [{ done: true }], [{ snoozedUntil: at(-2) }]])('%j is taken back', patch => {
        const changed = patched(one, patch, at(0));
        expect(changed).not.toEqual(one);
        expect(patched(changed, inverse(one, patch), at(0))).toEqual(one);
    });
    it('keeps the time at which it was read before', () => {
        const read = item('b', 'briefing', 1, { readAt: at(3) });
        expect(patched(read, { read: true }, at(0)).readAt).toBe(at(3));
    });
});

it('offers only times to come', () => {
    for (const day of [0, 1, 2, 3, 4, 5, 6]) {
        const then = now + day * 24 * 3600_000;
        for (const t of snoozeTimes(then)) expect(Date.parse(t.at)).toBeGreaterThan(then);
    }
    const monday = snoozeTimes(now).at(-1);
    expect(new Date(monday?.at ?? 0).getDay()).toBe(1);
});

describe('a change that the server has not heard of', () => {
    it('stays on screen when an older answer comes in', () => {
        const stale = {
            all: [item('a', 'briefing', 1), item('b', 'briefing', 2)],
            more: { open: false, done: false, snoozed: false },
        };
        const shown = overlaid(stale, new Map([['a', { done: true }]]), at(0));
        expect(shown.all.map(i => i.doneAt)).toEqual([at(0), null]);
        expect(overlaid(stale, new Map(), at(0))).toBe(stale);
    });
});
