// tags.ts: the tags that a world defines, and which of them the next message will carry. Which are
// on is kept by the server for each conversation, so that a reload or another device finds them on.
import { effect, signal } from '@preact/signals';
import { listTags, setTags } from '../../api/calls';
import { newKey } from '../../api/client';
import type { Instruction, NewTag, Tag } from '../../api/types';
import { toast } from '../../parts/parts';
import { draft } from '../../store/drafts';
import { chat, on, world } from '../../store/store';
import { makeLine } from '../shared/line';

/** The tags of the conversation that is shown. */
export const tags = signal<Tag[]>([]);
let place = '';
/** The server hears of changes in the order they were made, and a list that is read is never older than one that was stored. */
const inTurn = makeLine();
let changes = 0;

/** Loads them whenever another conversation is shown; the ones that are on go into its draft. */
export function follow(): () => void {
    const stop = effect(() => {
        const w = world.value?.world.name;
        const c = chat.value?.chat.id;
        const now = w && c ? `${w}/${c}` : '';
        if (now === place) return;
        place = now;
        tags.value = [];
        if (w && c) void load(w, c);
    });
    const off = on('world.updated', e => {
        const [w, c] = place.split('/');
        if (w && c && e.world === w) void load(w, c);
    });
    return () => {
        place = '';
        stop();
        off();
    };
}

async function load(w: string, c: string): Promise<void> {
    const before = changes;
    const answer = await inTurn(() => listTags(w, { chatId: c }));
    // A change that was made meanwhile is on screen already, and brings a newer list.
    if (!answer.ok || place !== `${w}/${c}` || before !== changes) return;
    tags.value = answer.value.data;
    const own = draft(w, c);
    const names = answer.value.data.filter(t => t.active && t.includeInMessage).map(t => t.name);
    if (own.value.tags.join() !== names.join()) own.value = { ...own.value, tags: names };
}

/** What a message carries when these tags are on. */
export function instructionsOf(names: readonly string[]): Instruction[] {
    return tags.value
        .filter(t => t.includeInMessage && names.includes(t.name))
        .map(t => ({ type: t.instruction ?? t.name, ...(t.target ? { target: t.target } : {}) }));
}

/** Tags of one choice exclude each other: they set the same instruction, to different targets. */
export function groups(all: readonly Tag[]): Tag[][] {
    const out: Tag[][] = [];
    const choices = new Map<string, Tag[]>();
    for (const tag of all) {
        const key = tag.instruction ?? tag.name;
        const known = tag.control === 'choice' ? choices.get(key) : undefined;
        if (known) known.push(tag);
        else {
            const made = [tag];
            out.push(made);
            if (tag.control === 'choice') choices.set(key, made);
        }
    }
    return out;
}

/** Pressing the button of a group: on, off, or the next choice. */
export function pressed(group: readonly Tag[], names: readonly string[]): string[] {
    const at = group.findIndex(t => names.includes(t.name));
    const rest = names.filter(n => !group.some(t => t.name === n));
    const next = group[at + 1];
    return next ? [...rest, next.name] : rest;
}

/** Keeps on the server which are on; what is shown does not wait for it. */
export async function remember(names: readonly string[]): Promise<boolean> {
    const before = tags.value;
    tags.value = before.map(t => ({ ...t, active: names.includes(t.name) }));
    return store(tags.value, before);
}

export async function define(list: NewTag[]): Promise<boolean> {
    return store(list, tags.value);
}

async function store(list: NewTag[], before: Tag[]): Promise<boolean> {
    const at = place;
    const [w, c] = at.split('/');
    if (!w || !c) return false;
    const mine = ++changes;
    const answer = await inTurn(() => setTags(w, { tags: list }, { key: newKey(), query: { chatId: c } }));
    if (at === place && mine === changes) tags.value = answer.ok ? answer.value.data : before;
    if (!answer.ok) toast({ text: `The tags were not saved: ${answer.trouble.detail}`, kind: 'error' });
    return answer.ok;
}
