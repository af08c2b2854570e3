import { describe, expect, it } from 'vitest';
import type { Provider, Settings } from '../../src/api/types';
import { findSettings, TABS } from '../../src/views/settings/find';
import { couldBeReal, hostOf, isHere, keyWords, standing } from '../../src/views/settings/provider-words';
import { entryOf, originWords, shown } from '../../src/views/settings/settings-data';
import { summary } from '../../src/views/settings/settings-view';
import { bytes, count, firstLine, grouped, lasted, listed, short } from '../../src/views/shared/words';

function provider(more: Partial<Provider>): Provider {
    return {
        name: 'anthropic',
        type: 'anthropic',
        baseUrl: null,
        key: null,
        origin: 'built-in',
        state: 'not-tried',
        detail: null,
        local: false,
        editable: true,
        defaultModel: null,
        budget: null,
        ...more,
    };
}

describe('where a value comes from', () => {
    const settings = {
        configuration: {
            problems: [],
            'defaults.model': { value: 'auto', origin: 'built-in' },
            'server.listen': { value: ':1', origin: '--listen', restart: true },
        },
        preferences: { 'defaults.model': 'ollama/x', 'server.listen': ':2' },
    } as unknown as Settings;
    it('is here when it was changed here', () => {
        expect(entryOf(settings, 'defaults.model')).toEqual({
            value: 'ollama/x',
            origin: 'changed here',
            restart: false,
        });
    });
    it('is the option when there is one: it wins', () => {
        expect(entryOf(settings, 'server.listen')).toEqual({
            value: ':1',
            origin: 'option --listen',
            restart: true,
        });
    });
    it('is said in words', () => {
        expect([originWords('built-in'), originWords('SKEIN_LISTEN'), originWords('skein.yaml:12')]).toEqual([
            'default',
            'environment SKEIN_LISTEN',
            'file skein.yaml:12',
        ]);
        expect([shown(true), shown([]), shown(['a', 'b']), shown(''), shown(7)]).toEqual([
            'yes',
            'none',
            'a, b',
            'none',
            '7',
        ]);
        expect(entryOf(settings, 'nothing')).toBeNull();
        expect(entryOf(null, 'nothing')).toBeNull();
    });
});

describe('how a provider stands', () => {
    it.each([
        [{ state: 'up' }, '●'],
        [{ state: 'not-tried', local: true }, '○'],
        [{ state: 'not-tried' }, '○'],
        [{ state: 'unused' }, '○'],
        [{ state: 'no-key' }, '○'],
        [{ state: 'failed', detail: 'the key is not valid (401)' }, '✕'],
        [{ state: 'not-there' }, '✕'],
    ])('%j is %s, with words', (more, shape) => {
        const s = standing(provider(more));
        expect(s.shape).toBe(shape);
        expect(s.words.length).toBeGreaterThan(3);
    });
    it('shows of a key only its end', () => {
        expect(keyWords({ tail: '…9f3a', source: 'env ANTHROPIC_API_KEY' })).toBe(
            'key …9f3a from ANTHROPIC_API_KEY',
        );
        expect(keyWords(null)).toBe('');
    });
    it('offers a real model only while none is in use', () => {
        const found = provider({ state: 'unused' });
        const demo = provider({ name: 'demo', type: 'scripted' });
        expect(couldBeReal([found, demo])).toEqual([found]);
        expect(couldBeReal([found, demo, provider({ name: 'ollama', type: 'ollama', local: true })])).toEqual(
            [],
        );
        expect(couldBeReal([demo])).toEqual([]);
    });
    it('knows what stays on this computer', () => {
        expect(hostOf('https://api.anthropic.com/v1')).toBe('api.anthropic.com');
        expect(hostOf('nonsense')).toBeNull();
        expect(
            ['127.0.0.1:7534', 'localhost', '[::1]:80', '10.0.0.1', '0.0.0.0:1', 'localhost.example.org'].map(
                isHere,
            ),
        ).toEqual([true, true, true, false, false, false]);
    });
});

it('finds settings by other words too', () => {
    expect(findSettings('dark').map(k => k.label)).toContain('Theme');
    expect(findSettings('theme nonsense')).toEqual([]);
    expect(findSettings(' ')).toEqual([]);
    for (const k of findSettings('e')) expect(TABS.some(t => t.id === k.tab)).toBe(true);
});

it('says numbers as people read them', () => {
    expect([short(999), short(7100), short(10_000), short(312_345), short(2_000_000)]).toEqual([
        '999',
        '7.1k',
        '10k',
        '312k',
        '2M',
    ]);
    expect(grouped(24_031)).toBe('24\u00a0031');
    expect([count(1, 'run'), count(3, 'run'), count(2, 'try', 'tries')]).toEqual([
        '1 run',
        '3 runs',
        '2 tries',
    ]);
    expect([lasted(640), lasted(2400), lasted(60_000), lasted(125_000), lasted(3_900_000)]).toEqual([
        '640 ms',
        '2.4 s',
        '1 min',
        '2 min 5 s',
        '1 h 5 min',
    ]);
    expect([bytes(12), bytes(37_000_000)]).toEqual(['12 B', '37 MB']);
    expect([listed([]), listed(['a']), listed(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c']);
    expect(firstLine('one two three\nfour', 9)).toBe('one two…');
});

describe('what the list on a telephone says of the models', () => {
    const settings = (problems: string[]) =>
        ({
            configuration: { problems, 'defaults.model': { value: 'ollama/m', origin: 'default' } },
            preferences: {},
        }) as unknown as Settings;
    it('is the default, or how many problems there are: in the file, and with providers', () => {
        expect(summary('models', settings([]), '', 0)).toBe('ollama/m');
        expect(summary('models', settings([]), '', 1)).toBe('1 problem');
        expect(summary('models', settings(['line 3']), '', 2)).toBe('3 problems');
        expect(summary('models', null, '', 0)).toBe('');
    });
});
