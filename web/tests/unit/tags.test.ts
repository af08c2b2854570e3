import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tag } from '../../src/api/types';
import { update } from '../../src/store/core';
import { draft } from '../../src/store/drafts';
import { go } from '../../src/store/place';
import { define, follow, groups, pressed, remember, tags } from '../../src/views/tags/tags';
import { opened, soon } from './story';

const tag = (name: string, part: Partial<Tag> = {}): Tag => ({
    name,
    control: 'toggle',
    instruction: name,
    target: null,
    includeInMessage: true,
    active: false,
    ...part,
});

describe('tag buttons', () => {
    const short = tag('Short');
    const lead = tag('Ask lead', { control: 'choice', instruction: 'ResponseExpected', target: 'lead' });
    const ada = tag('Ask ada', { control: 'choice', instruction: 'ResponseExpected', target: 'ada' });

    it('are one for each switch, and one for all choices of an instruction', () => {
        expect(groups([lead, short, ada])).toEqual([[lead, ada], [short]]);
    });
    it('switch on and off', () => {
        expect(pressed([short], [])).toEqual(['Short']);
        expect(pressed([short], ['Short', 'Ask ada'])).toEqual(['Ask ada']);
    });
    it('go through the choices and end with none', () => {
        let on: string[] = ['Short'];
        const seen = [];
        for (let i = 0; i < 4; i++) {
            on = pressed([lead, ada], on);
            seen.push(on);
        }
        expect(seen).toEqual([['Short', 'Ask lead'], ['Short', 'Ask ada'], ['Short'], ['Short', 'Ask lead']]);
    });
});

describe('a server that takes its time', () => {
    interface Asked {
        method: string;
        answer: (list: Tag[]) => void;
    }
    let asked: Asked[];
    let end: () => void;
    const on = () => draft('w', 'c_1').value.tags;
    const active = (name: string) => tag(name, { active: true });
    const heard = (n: number) => soon(() => expect(asked.length).toBe(n));
    // Long enough for everything that waits for nobody.
    const aTurn = () => new Promise(resolve => setTimeout(resolve));

    beforeEach(async () => {
        localStorage.clear();
        asked = [];
        vi.stubGlobal('fetch', (_url: string, o: RequestInit) => {
            return new Promise<Response>(resolve => {
                const answer = (list: Tag[]) =>
                    resolve(
                        new Response(JSON.stringify({ data: list, page: {} }), {
                            status: 200,
                            headers: { 'content-type': 'application/json' },
                        }),
                    );
                asked.push({ method: o.method ?? 'GET', answer });
            });
        });
        update(() => ({ ...opened(), connection: { state: 'live' } }));
        go({ kind: 'chat', w: 'w', c: 'c_1', view: 'chat' }, { replace: true });
        end = follow();
        await heard(1);
    });
    afterEach(() => {
        end();
        vi.unstubAllGlobals();
    });

    it('hears of the second change when it has answered to the first', async () => {
        asked[0]!.answer([tag('Short'), tag('Formal')]);
        await soon(() => expect(tags.value.length).toBe(2));
        const both = [remember(['Short']), remember(['Short', 'Formal'])];
        await heard(2);
        await aTurn();
        expect(asked.map(a => a.method)).toEqual(['GET', 'PUT']);
        asked[1]!.answer([active('Short'), tag('Formal')]);
        await heard(3);
        expect(
            tags.value.map(t => t.active),
            'what was pressed last stays',
        ).toEqual([true, true]);
        asked[2]!.answer([active('Short'), active('Formal')]);
        expect(await Promise.all(both)).toEqual([true, true]);
        expect(tags.value.map(t => t.active)).toEqual([true, true]);
    });
    it('does not take back with an old list what was changed meanwhile', async () => {
        const made = define([tag('Formal')]);
        await aTurn();
        asked[1]?.answer([active('Formal')]);
        await aTurn();
        asked[0]!.answer([]);
        await heard(2);
        asked[1]!.answer([active('Formal')]);
        expect(await made).toBe(true);
        await aTurn();
        expect(tags.value.map(t => t.name)).toEqual(['Formal']);
    });
    it('does not switch off what was switched on while the list was on its way', async () => {
        asked[0]!.answer([tag('Short')]);
        await soon(() => expect(tags.value.length).toBe(1));
        update(() => ({ ...opened(), connection: { state: 'live' } }));
        end();
        end = follow();
        await heard(2);
        tags.value = [tag('Short')];
        draft('w', 'c_1').value = { ...draft('w', 'c_1').value, tags: ['Short'] };
        const kept = remember(['Short']);
        asked[1]!.answer([tag('Short')]);
        await heard(3);
        expect(on()).toEqual(['Short']);
        asked[2]!.answer([active('Short')]);
        expect(await kept).toBe(true);
        expect(on()).toEqual(['Short']);
    });
});
