// provider-words.ts: what a provider is and how it stands, in words.

import type { FoundProvider, Provider } from '../../api/types';

const LABELS: Record<string, string> = {
    openai: 'OpenAI',
    anthropic: 'Anthropic',
    ollama: 'Ollama',
    gemini: 'Gemini',
    openrouter: 'OpenRouter',
    mistral: 'Mistral',
    xai: 'xAI',
    groq: 'Groq',
    lmstudio: 'LM Studio',
    llamacpp: 'llama.cpp',
    vllm: 'vLLM',
    demo: 'demo/scripted',
};

export function labelOf(name: string): string {
    return LABELS[name] ?? name;
}

/** Where what is written goes to. */
export function hostOf(baseUrl: string | null): string | null {
    if (!baseUrl) return null;
    try {
        return new URL(baseUrl).host;
    } catch {
        return null;
    }
}

export function isHere(host: string | null): boolean {
    return host !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
}

export interface Standing {
    shape: '●' | '○' | '✕';
    words: string;
    kind: 'ok' | 'muted' | 'error' | 'warn';
}

export function standing(p: Provider): Standing {
    if (p.type === 'scripted') return { shape: '●', words: 'canned text, no AI', kind: 'ok' };
    switch (p.state) {
        case 'up':
            return { shape: '●', words: 'answers', kind: 'ok' };
        case 'not-tried':
            return { shape: '○', words: 'not tried yet', kind: 'muted' };
        case 'unused':
            return { shape: '○', words: 'not in use: nothing is sent', kind: 'muted' };
        case 'no-key':
            return { shape: '○', words: 'needs a key', kind: 'muted' };
        case 'limited':
            return { shape: '✕', words: 'asked too often', kind: 'warn' };
        case 'not-there':
            return { shape: '✕', words: 'does not answer', kind: 'error' };
        case 'failed':
            return { shape: '✕', words: p.detail ?? 'failed', kind: 'error' };
        default:
            return { shape: '○', words: p.detail ?? p.state ?? 'unknown', kind: 'muted' };
    }
}

/** "key …9f3a from ANTHROPIC_API_KEY"; never more of a key than its end. */
export function keyWords(key: Provider['key']): string {
    if (!key) return '';
    const tail = key.tail ? ` ${key.tail.startsWith('…') ? key.tail : `…${key.tail}`}` : '';
    return `key${tail} from ${sourceWords(key.source)}`;
}

export function sourceWords(source: string): string {
    const variable = source.replace(/^env /, '');
    if (/^[A-Z][A-Z0-9_]*$/.test(variable)) return variable;
    return source === 'store' || source.startsWith('secret') ? 'the secret store' : source;
}

/** Found and not known as a provider. */
export function newlyFound(found: readonly FoundProvider[], providers: readonly Provider[]): FoundProvider[] {
    return found.filter(f => !f.inUse && !providers.some(p => p.name === f.name));
}

/** Only canned text answers, and there is something that could. */
export function couldBeReal(providers: readonly Provider[]): Provider[] {
    const used = providers.some(
        p => p.type !== 'scripted' && ['not-tried', 'up', 'limited', 'failed'].includes(p.state ?? ''),
    );
    return used ? [] : providers.filter(p => p.state === 'unused');
}

/** What may be spent in a month, what was, and what happens then. */
export function budgetWords(b: NonNullable<Provider['budget']>): string {
    const part = (used: number, most: number | null, when: string): string[] =>
        most === null ? [] : [`${used.toFixed(2)} of ${most.toFixed(2)} ${b.currency} ${when}`];
    const used = [...part(b.used, b.monthly, 'this month'), ...part(b.usedToday, b.daily, 'today')].join(
        ', ',
    );
    const then = b.then === 'ask' ? 'at the limit you are asked' : 'at the limit it stops';
    return b.unpriced.length > 0
        ? `${used}; ${then}; without ${b.unpriced.join(', ')}, whose price is not known`
        : `${used}; ${then}`;
}
