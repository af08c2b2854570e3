import { beforeEach, describe, expect, test } from 'vitest';
import {
    go,
    href,
    hrefInspecting,
    inspect,
    inspecting,
    parse,
    parseInspecting,
    place,
    stopInspecting,
    type Inspecting,
    type Place,
} from '../../src/store/place';

const at = (text: string): Place => parse(new URL(text, 'http://localhost/'));

const PLACES: Place[] = [
    { kind: 'start' },
    { kind: 'world', w: 'tour' },
    { kind: 'chat', w: 'tour', c: 'c_1', view: 'chat' },
    { kind: 'chat', w: 'tour', c: 'c_1', view: 'tree', v: 't_7f2c', m: 'a1-_b2', lane: 'main.1.1' },
    { kind: 'chat', w: 'tour', c: 'c_1', view: 'timeline', lane: 'main' },
    { kind: 'chat', w: 'tour', c: 'c_1', view: 'history', v: 't_1' },
    { kind: 'chat', w: 'a/b ?#&', c: 'ü%', view: 'chat', m: 'x#y z' },
    { kind: 'agents', w: 'tour' },
    { kind: 'agent', w: 'tour', a: 'ada' },
    { kind: 'agent', w: 'tour', a: 'ada', tab: 'memory' },
    { kind: 'inbox' },
    { kind: 'inbox', item: 'in_1', filter: 'question' },
    { kind: 'search', q: '' },
    { kind: 'search', q: 'from:ada "a + b" & c=d', w: 'tour' },
    { kind: 'settings', tab: 'models' },
    { kind: 'unknown', path: '/nowhere/at?all=1#x' },
];

test('takes the address of an agent without its name for the list of them', () => {
    expect(parse(new URL('http://x/w/tour/a'))).toEqual({ kind: 'agents', w: 'tour' });
});

describe('an address', () => {
    test.each(PLACES)('says all of %o', p => {
        expect(at(href(p))).toEqual(p);
    });
    test('that is not known is kept as it is', () => {
        for (const path of [
            '/w',
            '/w/a/c',
            '/w/a/x/y',
            '/w/a/c/b/d',
            '/inbox/a/b',
            '/search/x',
            '/settings/a/b',
            '/docs',
        ]) {
            expect(at(path)).toEqual({ kind: 'unknown', path });
        }
    });
    test('with a view that does not exist shows the chat', () => {
        expect(at('/w/a/c/b?view=nonsense')).toEqual({ kind: 'chat', w: 'a', c: 'b', view: 'chat' });
    });
    test('with a bad escape does not throw', () => {
        expect(at('/w/%zz')).toEqual({ kind: 'world', w: '%zz' });
    });
    test('of the settings opens their first tab', () => {
        expect(at('/settings')).toEqual({ kind: 'settings', tab: 'models' });
    });
});

describe('going', () => {
    beforeEach(() => go({ kind: 'start' }, { replace: true }));

    test('changes the place and the address', () => {
        go({ kind: 'chat', w: 'tour', c: 'c_1', view: 'tree', m: 'abc' });
        expect(place.value).toEqual({ kind: 'chat', w: 'tour', c: 'c_1', view: 'tree', m: 'abc' });
        expect(location.pathname + location.search + location.hash).toBe('/w/tour/c/c_1?view=tree#m-abc');
    });
    test('adds to the history, and replaces when asked to', () => {
        const before = history.length;
        go({ kind: 'inbox' });
        expect(history.length).toBe(before + 1);
        go({ kind: 'settings', tab: 'keys' }, { replace: true });
        expect(history.length).toBe(before + 1);
    });
    test('to where one is adds nothing to the history', () => {
        go({ kind: 'inbox' });
        const before = history.length;
        go({ kind: 'inbox' });
        expect(history.length).toBe(before);
    });
});

describe('what is looked into', () => {
    const chat: Place = { kind: 'chat', w: 'tour', c: 'c_1', view: 'timeline', v: 't_7', m: 'a1-_b2' };
    const now = () => location.pathname + location.search + location.hash;

    beforeEach(() => go(chat));

    test.each<Inspecting>([{ messageId: 'a1-_b2' }, { callId: 'mc_1:2' }, { agent: 'a & b:c' }])(
        'is %o in the address, beside the place',
        what => {
            const url = new URL(hrefInspecting(chat, what), 'http://localhost/');
            expect(parseInspecting(url)).toEqual(what);
            expect(parse(url)).toEqual(chat);
        },
    );
    test('is nothing where the address says nonsense, or a place has nothing to look into', () => {
        for (const path of ['/w/a/c/b?inspect=x:y', '/w/a/c/b?inspect=message:', '/inbox?inspect=message:m'])
            expect(parseInspecting(new URL(path, 'http://localhost/'))).toBeNull();
    });
    test('leaves the place as it is, and is a step of its own', () => {
        const [before, was] = [history.length, place.value];
        inspect({ messageId: 'm1' });
        expect(now()).toContain('inspect=message%3Am1');
        expect(history.length).toBe(before + 1);
        inspect({ callId: 'mc_1' });
        expect(inspecting.value).toEqual({ callId: 'mc_1' });
        expect(history.length).toBe(before + 1);
        expect(place.value).toBe(was);
    });
    test('stays when an address is put right, and is left by going elsewhere', () => {
        inspect({ agent: 'ada' });
        go({ ...chat, v: 't_8' }, { replace: true });
        expect(inspecting.value).toEqual({ agent: 'ada' });
        expect(now()).toContain('inspect=agent%3Aada');
        go({ ...chat, view: 'chat' });
        expect(inspecting.value).toBeNull();
        expect(now()).not.toContain('inspect');
    });
    test('that came with the address goes without a step back', () => {
        history.replaceState(null, '', hrefInspecting(chat, { messageId: 'm1' }));
        dispatchEvent(new PopStateEvent('popstate'));
        expect(inspecting.value).toEqual({ messageId: 'm1' });
        stopInspecting();
        expect(inspecting.value).toBeNull();
        expect(now()).toBe(href(chat));
    });
});
