// prompts.ts: what a person tells models to make of messages: kept in this browser, the last one and those to use again.

import { signal } from '@preact/signals';
import { keep, kept } from '../../store/keep';

const SAVED = 'skein.squashPrompts';
const LAST = 'skein.squashPrompt';
const MOST = 12;
const FIRST = 'Keep the facts, dates and decisions; drop tool noise and small talk.';

function read(): string[] {
    const list = kept(SAVED);
    return Array.isArray(list) ? list.filter((p): p is string => typeof p === 'string') : [];
}

export const savedPrompts = signal<readonly string[]>(read());
savedPrompts.subscribe(list => keep(SAVED, list.length > 0 ? list : null));

/** The newest is the first; the same again is there once. */
export function savePrompt(prompt: string): void {
    savedPrompts.value = [prompt, ...savedPrompts.value.filter(p => p !== prompt)].slice(0, MOST);
}

export function forgetPrompt(prompt: string): void {
    savedPrompts.value = savedPrompts.value.filter(p => p !== prompt);
}

export function promptUsed(prompt: string): void {
    keep(LAST, prompt);
}

/** What a new squash begins with: nobody is asked twice for the same. */
export function promptToBegin(): string {
    const last = kept(LAST);
    return typeof last === 'string' && last !== '' ? last : (savedPrompts.peek()[0] ?? FIRST);
}
