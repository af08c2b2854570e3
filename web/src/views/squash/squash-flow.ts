// squash-flow.ts: one message in the place of several: previewed first, then made as a version.
import { signal } from '@preact/signals';
import { getJob, listModels, listProviders, operate, squash } from '../../api/calls';
import { newKey, type Result, type Trouble } from '../../api/client';
import type { Message, Squash } from '../../api/types';
import { toast } from '../../parts/parts';
import { keep, kept } from '../../store/keep';
import { chat, on, refreshChat, takeBack, world } from '../../store/store';
import { tellLeft } from '../shared/left-behind';
import { mayBeAsked } from '../agents/models';
import { messages } from '../shared/words';
import { promptToBegin, promptUsed } from './prompts';
import { chosen, clear, closed, resultsIn } from './selection';
import { selected } from '../../store/focus';
import { shown } from '../../store/store';

export type How = 'model' | 'join' | 'own';

export interface SquashDraft {
    sources: Message[];
    /** Some were ticked by the page: a tool call goes with its result. */
    added: boolean;
    how: How;
    prompt: string;
    model: string;
    text: string;
    /** What a model wrote for the prompt and model that are asked for now. */
    preview: string | null;
    asking: boolean;
    trouble: Trouble | null;
}

export const draft = signal<SquashDraft | null>(null);
export const models = signal<string[]>([]);

// What was written by hand and not used, one for each conversation: it is there again for the same messages.
const textPlace = (sources: readonly Message[]) => `skein.squashText.${sources[0]?.chatId ?? ''}`;
const idsOf = (sources: readonly Message[]) => sources.map(m => m.messageId).join();

function typed(sources: readonly Message[]): string | null {
    const found = kept(textPlace(sources)) as { sources?: unknown; text?: unknown } | null;
    return found?.sources === idsOf(sources) && typeof found.text === 'string' ? found.text : null;
}

export function write(text: string): void {
    const now = draft.value;
    if (now) keep(textPlace(now.sources), { sources: idsOf(now.sources), text });
    change({ text });
}

/** Takes one of the messages out; what was written by hand stays. */
export function leaveOut(messageId: string): void {
    const now = draft.value;
    if (!now) return;
    const sources = now.sources.filter(m => m.messageId !== messageId);
    const written = now.text !== joined(now.sources);
    selected.value = new Set(sources.map(m => m.messageId));
    change({ sources, preview: null, text: written ? now.text : joined(sources) });
    if (written) write(now.text);
}

export function open(): void {
    const { ids, added } = closed(selected.value, shown.value.rows);
    selected.value = ids;
    const sources = chosen();
    if (sources.length < 2) {
        toast({ text: 'Select two messages or more: press x on each.' });
        return;
    }
    const own = typed(sources);
    draft.value = {
        sources,
        added,
        how: own === null ? 'model' : 'own',
        prompt: promptToBegin(),
        model: '',
        text: own ?? joined(sources),
        preview: null,
        asking: false,
        trouble: null,
    };
    void loadModels();
}

async function loadModels(): Promise<void> {
    const providers = await listProviders();
    if (!providers.ok) return;
    const lists = await Promise.all(providers.value.data.filter(mayBeAsked).map(p => listModels(p.name)));
    models.value = [...new Set(lists.flatMap(l => (l.ok ? l.value.data.map(m => m.name) : [])))];
}

export function change(part: Partial<SquashDraft>): void {
    const now = draft.value;
    if (now) draft.value = { ...now, ...part, trouble: null };
}

export function close(): void {
    draft.value = null;
}

export function joined(sources: readonly Message[]): string {
    return sources.map(m => `${m.sender === 'human' ? 'You' : m.sender}: ${m.content}`).join('\n\n');
}

/** The text as it would be stored, or null while a model has not been asked. */
export function result(now: SquashDraft): string | null {
    return now.how === 'model' ? now.preview : now.how === 'join' ? joined(now.sources) : now.text;
}

/** A rough count for the person; the server measures what is sent. */
export const tokens = (text: string) => Math.ceil(text.length / 4);

export async function preview(): Promise<void> {
    const now = draft.value;
    const w = world.value?.world.name;
    const c = now?.sources[0]?.chatId;
    if (!now || !w || !c || now.asking) return;
    change({ asking: true, preview: null });
    promptUsed(now.prompt);
    const asked = await squash(
        w,
        c,
        {
            sourceMessageIds: now.sources.map(m => m.messageId),
            prompt: now.prompt,
            ...(now.model ? { model: now.model } : {}),
            dryRun: true,
        },
        { key: newKey() },
    );
    const got = await settled(asked as Result<Squash | { id: string; state: string }>);
    const still = draft.value;
    if (!still?.asking || still.sources !== now.sources) return; // closed meanwhile
    draft.value = got.ok
        ? { ...still, asking: false, preview: got.value.content, model: got.value.model ?? still.model }
        : { ...still, asking: false, trouble: got.trouble };
}

/** The squash that a job makes, or the answer itself when there was no need of a job. */
async function settled(asked: Result<Squash | { id: string; state: string }>): Promise<Result<Squash>> {
    if (!asked.ok) return asked;
    if ('squashOperationId' in asked.value) return { ...asked, value: asked.value };
    const id = asked.value.id;
    for (;;) {
        const job = await getJob(id);
        if (!job.ok) return job;
        if (job.value.state === 'done')
            return { ok: true, value: job.value.result as Squash, status: 200, etag: null };
        if (job.value.state !== 'running') return { ok: false, trouble: jobTrouble(job.value.error) };
        await news(id);
    }
}

function jobTrouble(error: unknown): Trouble {
    const e = (error ?? {}) as Partial<Trouble>;
    return {
        status: 500,
        type: '/problems/internal',
        title: 'The model wrote no summary',
        ...e,
        detail: e.detail ?? 'The job was cancelled.',
    };
}

// A job says when it is done; a look every second covers a stream that is down.
function news(id: string): Promise<void> {
    return new Promise(resolve => {
        const end = () => {
            off();
            clearTimeout(timer);
            resolve();
        };
        const off = on('job.finished', e => {
            if ((e.data as { id?: string }).id === id) end();
        });
        const timer = setTimeout(end, 1000);
    });
}

/** Makes the version. What was previewed is what is stored, word for word. */
export async function use(): Promise<void> {
    const now = draft.value;
    const w = world.value?.world.name;
    const c = now?.sources[0]?.chatId;
    const content = now && result(now);
    if (!now || !w || !c || !content?.trim() || now.asking) return;
    draft.value = { ...now, asking: true };
    const byModel = now.how === 'model';
    const made = await squash(
        w,
        c,
        {
            sourceMessageIds: now.sources.map(m => m.messageId),
            content,
            ...(byModel
                ? { prompt: now.prompt, performedByAgent: true, ...(now.model ? { model: now.model } : {}) }
                : {}),
        },
        { key: newKey() },
    );
    if (!made.ok) {
        draft.value = { ...now, asking: false, trouble: made.trouble };
        return;
    }
    keep(textPlace(now.sources), null);
    close();
    clear();
    await refreshChat();
    const before = (made.value as Squash).undo?.body.threadId;
    toast({
        text: `${messages(now.sources.length, resultsIn(now.sources))} are one now. They stay in the previous version.`,
        kind: 'ok',
        actions: before ? [{ label: 'Undo', run: () => void takeBack(before).then(tellLeft) }] : [],
        subject: 'version',
        state: chat.value?.thread,
    });
}

/** Takes the ticked messages out of a new version; the old one keeps them. */
export async function removeChosen(): Promise<void> {
    const w = world.value?.world.name;
    const { ids } = closed(selected.value, shown.value.rows);
    const c = shown.value.rows[0]?.chatId;
    if (!w || !c || ids.size === 0) return;
    const results = resultsIn(shown.value.rows.filter(m => ids.has(m.messageId)));
    const made = await operate(w, c, { op: 'delete', messageIds: [...ids] }, { key: newKey() });
    if (!made.ok) {
        toast({ text: `Nothing was removed: ${made.trouble.detail}`, kind: 'error' });
        return;
    }
    clear();
    await refreshChat();
    const before = made.value.undo?.body.threadId;
    toast({
        text: `${messages(ids.size, results)} ${ids.size === 1 ? 'is' : 'are'} out of this version, and in the one before.`,
        kind: 'ok',
        actions: before ? [{ label: 'Undo', run: () => void takeBack(before).then(tellLeft) }] : [],
        subject: 'version',
        state: chat.value?.thread,
    });
}
