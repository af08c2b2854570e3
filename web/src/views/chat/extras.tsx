// extras.tsx: what a message has beside its text, folded: thinking, tools, work handed on, what it stands for.

import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { getMessage, getSquash } from '../../api/calls';
import type { Delegation, Delivery, Message, ToolCall } from '../../api/types';
import { AgentName, duration } from '../../parts/parts';
import { CodeBlock } from '../../parts/code';
import { Markdown } from '../../parts/markdown/markdown';
import { go, href } from '../../store/place';
import type { ChatState } from '../../store/state';
import { world } from '../../store/store';
import { ArgLines } from '../shared/args';
import { notRun } from '../shared/not-run';
import { count, steps } from '../shared/words';
import { Fold } from './fold';
import { painted } from './paint';
import { askedAbout, Permission } from './permission';
import { herePlace } from './view-state';
import { deliveryLine, deliveryWord, pretty, senderWord } from './words';

export function DeliveryBadge({ list }: { list: readonly Delivery[] }) {
    return (
        <Fold class="chat-delivery" title={deliveryLine(list)}>
            {() => (
                <ul>
                    {list.map(d => {
                        const { sign, word } = deliveryWord(d);
                        return (
                            <li key={d.agent}>
                                <span aria-hidden="true">{sign}</span> <AgentName name={d.agent} plain />{' '}
                                {word}
                            </li>
                        );
                    })}
                </ul>
            )}
        </Fold>
    );
}

export function Thinking({ text, live }: { text: string; live: boolean }) {
    return (
        <Fold class="chat-thinking" title={live ? 'Thinking…' : 'Thinking'}>
            {() => <Markdown text={text} live={live} />}
        </Fold>
    );
}

const CALL_SIGNS = {
    done: '✓',
    failed: '✕ failed',
    running: '● running',
    asks: '◐ waits for your permission',
    waits: '○ waits its turn',
} as const;

interface CallProps {
    message: Message;
    call: ToolCall;
    result: Message | undefined;
    /** a call before it in the same answer is not over */
    waits: boolean;
}

function ToolLine({ message, call, result, waits }: CallProps) {
    const run = useComputed(() => painted.value.chat?.tools[call.toolCallId]).value;
    const asked = result === undefined ? askedAbout(message, call) : undefined;
    const failed = result ? result.toolStatus === 'error' : run?.state === 'failed';
    const done = result !== undefined || run?.state === 'done';
    const text = result?.content ?? run?.result ?? null;
    const why = failed ? notRun(text) : null;
    const word = asked ? 'asks' : failed ? 'failed' : done ? 'done' : waits ? 'waits' : 'running';
    return (
        <>
            <CallFold
                call={call}
                text={text}
                sign={
                    <span class={why === null ? `chat-tool-${word}` : 'muted'}>
                        {why ?? CALL_SIGNS[word]}
                    </span>
                }
            />
            {asked ? <Permission item={asked} call={call} /> : null}
        </>
    );
}

interface CallFoldProps {
    call: ToolCall;
    text: string | null;
    sign: ComponentChildren;
}

function CallFold({ call, text, sign }: CallFoldProps) {
    return (
        <Fold
            class="chat-tool"
            title={
                <>
                    tool <b>{call.toolName}</b> {sign}
                </>
            }
        >
            {() => (
                <>
                    <ArgLines args={call.args} />
                    <Fold title="raw" label={`The raw arguments of ${call.toolName}`}>
                        {() => <CodeBlock lang="json" text={pretty(call.args)} />}
                    </Fold>
                    {text === null ? <p class="muted">No result yet.</p> : <CodeBlock lang="" text={text} />}
                </>
            )}
        </Fold>
    );
}

const SIGNS: Record<Delegation['state'], string> = {
    running: '● running',
    done: '✓',
    failed: '✕ failed',
    cancelled: '✕ cancelled',
    interrupted: '✕ interrupted',
};

function spent(d: Delegation, result: Message | undefined): string {
    const took = d.createdAt && result ? Date.parse(result.createdAt) - Date.parse(d.createdAt) : NaN;
    const parts = [
        Number.isFinite(took) && took >= 0 ? duration(took) : '',
        d.messageCount > 0 ? steps(d.messageCount) : '',
    ];
    return parts.filter(p => p !== '').join(' · ');
}

function DelegationLine({ delegation: d, result }: { delegation: Delegation; result: Message | undefined }) {
    const p = herePlace();
    const now = useComputed(
        () =>
            Object.values(painted.value.chat?.live ?? {})
                .find(l => l.lane === d.threadPath)
                ?.text.slice(-80) ?? '',
    ).value;
    const to = p ? { ...p, view: 'timeline' as const, lane: d.threadPath, m: undefined } : null;
    const open = (e: MouseEvent) => {
        if (!to || e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        go(to);
    };
    return (
        <a class={`chat-delegation chat-delegation-${d.state}`} href={to ? href(to) : '#'} onClick={open}>
            <span aria-hidden="true">▸</span> <code>{d.threadPath}</code>{' '}
            {d.agent ? <AgentName name={d.agent} /> : null}{' '}
            <span class="chat-delegation-title">{d.title ?? 'delegation'}</span>{' '}
            <span class="chat-delegation-state">
                {SIGNS[d.state]} {d.state === 'running' ? (now ? `“…${now}”` : '') : spent(d, result)}
            </span>
        </a>
    );
}

type Results = ReadonlyMap<string, Message> | null;

/** Calls of one answer run one after the other, though all are announced together: those after this one wait for it. */
function firstOpen(message: Message, results: Results, runs: ChatState['tools']): number {
    const isOpen = ({ toolCallId: id }: ToolCall) =>
        !results?.has(id) && (runs[id]?.state ?? 'running') === 'running';
    const at = message.toolCalls.findIndex(isOpen);
    return at < 0 ? Infinity : at;
}

/** Each call with its result is one line; a call that began a delegation is the line of that. */
export function Tools({ message, results }: { message: Message; results: Results }) {
    const delegations = useComputed(() => painted.value.chat?.delegations).value ?? {};
    const runs = useComputed(() => painted.value.chat?.tools).value ?? {};
    const open = firstOpen(message, results, runs);
    return (
        <div class="chat-tools">
            {message.toolCalls.map((call, n) => {
                const result = results?.get(call.toolCallId);
                const d = Object.values(delegations).find(one => one.spawnCallId === call.toolCallId);
                return d ? (
                    <DelegationLine key={call.toolCallId} delegation={d} result={result} />
                ) : (
                    <ToolLine
                        key={call.toolCallId}
                        message={message}
                        call={call}
                        result={result}
                        waits={n > open}
                    />
                );
            })}
        </div>
    );
}

async function sourcesOf(m: Message): Promise<Message[]> {
    const w = world.peek()?.world.name ?? '';
    const squash = m.squashOperationId ? await getSquash(w, m.squashOperationId) : null;
    const ids = squash?.ok ? squash.value.sourceMessageIds : (m.originalIds ?? []);
    const all = await Promise.all(ids.slice(0, 100).map(id => getMessage(w, id, { chatId: m.chatId })));
    return all.flatMap(a => (a.ok ? [a.value] : []));
}

export function Sources({ message }: { message: Message }) {
    const sources = useSignal<Message[] | null>(null);
    const n = message.originalIds?.length ?? 0;
    const load = (e: Event) => {
        if ((e.currentTarget as HTMLDetailsElement).open && !sources.value)
            void sourcesOf(message).then(all => {
                sources.value = all;
            });
    };
    return (
        <details class="chat-fold chat-sources" onToggle={load}>
            <summary>{n > 0 ? `from ${count(n, 'message')}` : 'squashed'}</summary>
            <div class="chat-fold-body">
                {sources.value?.map(s => (
                    <blockquote key={s.messageId}>
                        <b>{senderWord(s)}</b>
                        <Markdown text={s.content} />
                    </blockquote>
                )) ?? <p class="muted">…</p>}
            </div>
        </details>
    );
}
