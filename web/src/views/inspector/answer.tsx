import { Badge, Button, Empty, day, Time } from '../../parts/parts';
import { Markdown } from '../../parts/markdown/markdown';
import { copyText } from '../shared/copy';
import { Marked } from '../shared/mark';
import { grouped, lasted } from '../shared/words';
import { readRequest } from './request';
import { NoCall, RawText, terms, type PartProps } from './saw';

/** What came back: as it stands in the conversation, and as it came. */
export function Answer({ looked, find }: PartProps) {
    const { call, message } = looked;
    if (!call && !message) return <NoCall looked={looked} />;
    return (
        <>
            {call?.error && (
                <div class="inspector-error" role="group" aria-label="Error from the provider">
                    <p>
                        ✕ {call.state}: {call.error}
                    </p>
                    <p class="muted">
                        Call {call.id}
                        {call.tries > 1 ? `, tried ${call.tries} times` : ''}
                    </p>
                </div>
            )}
            {message?.thinking && (
                <details class="inspector-fold">
                    <summary>Thinking</summary>
                    <Markdown text={message.thinking} />
                </details>
            )}
            {message && message.content.trim() !== '' && find.trim() === '' && (
                <div class="measure">
                    <Markdown text={message.content} />
                </div>
            )}
            {message && find.trim() !== '' && (
                <p class="inspector-plain">
                    <Marked text={message.content} terms={terms(find)} />
                </p>
            )}
            {call?.response && (
                <details class="inspector-fold" open={!message || message.content.trim() === '' || undefined}>
                    <summary>As it came</summary>
                    <RawText text={call.response} find={find} />
                </details>
            )}
            {call && !call.response && !message && (
                <Empty>
                    <p>No answer came.</p>
                </Empty>
            )}
        </>
    );
}

/** The tools that it could call, and those that it did. */
export function ToolsPart({ looked, find }: PartProps) {
    const asked = looked.call ? readRequest(looked.call.request) : null;
    const called = looked.message?.toolCalls ?? [];
    const resultOf = (id: string) => looked.rows.find(m => m.toolCallId === id) ?? null;
    return (
        <>
            <h3>Called ({called.length})</h3>
            {called.length === 0 && <p class="muted">It called no tool.</p>}
            <ul class="inspector-list">
                {called.map(c => {
                    const result = resultOf(c.toolCallId);
                    return (
                        <li key={c.toolCallId}>
                            <p>
                                <code>{c.toolName}</code>{' '}
                                {result && (
                                    <Badge kind={result.toolStatus === 'error' ? 'error' : 'ok'}>
                                        {result.toolStatus === 'error' ? '✕ failed' : '✓ answered'}
                                    </Badge>
                                )}
                            </p>
                            <RawText text={JSON.stringify(c.args, null, 2)} find={find} />
                            {result && <RawText text={result.content} find={find} />}
                        </li>
                    );
                })}
            </ul>
            <h3>Offered ({asked?.tools.length ?? 0})</h3>
            {!asked?.tools.length && <p class="muted">None.</p>}
            <ul class="inspector-list">
                {asked?.tools
                    .filter(t =>
                        `${t.name} ${t.description ?? ''}`.toLowerCase().includes(find.trim().toLowerCase()),
                    )
                    .map(t => (
                        <li key={t.name}>
                            <p>
                                <code>{t.name}</code>{' '}
                                {t.description && <span class="muted">{t.description}</span>}
                            </p>
                            {t.parameters !== null && (
                                <details class="inspector-fold">
                                    <summary>Parameters</summary>
                                    <RawText text={JSON.stringify(t.parameters, null, 2)} find={find} />
                                </details>
                            )}
                        </li>
                    ))}
            </ul>
        </>
    );
}

/** Only what was measured. */
export function Timing({ looked }: PartProps) {
    const { call } = looked;
    if (!call) return <NoCall looked={looked} />;
    const first = call.firstMs >= 0 ? call.firstMs : null;
    const writing = first === null ? null : Math.max(0, call.totalMs - first);
    const share = first === null || call.totalMs === 0 ? 0 : Math.round((first / call.totalMs) * 100);
    return (
        <>
            <dl class="inspector-facts">
                <div>
                    <dt>Ended</dt>
                    <dd>
                        {day(call.createdAt)} <Time at={call.createdAt} seconds />
                    </dd>
                </div>
                <div>
                    <dt>First part of the answer</dt>
                    <dd>{first === null ? 'none came' : `after ${lasted(first)}`}</dd>
                </div>
                {writing !== null && (
                    <div>
                        <dt>Writing</dt>
                        <dd>{lasted(writing)}</dd>
                    </div>
                )}
                <div>
                    <dt>In all</dt>
                    <dd>{lasted(call.totalMs)}</dd>
                </div>
                <div>
                    <dt>Tries</dt>
                    <dd>{call.tries}</dd>
                </div>
                <div>
                    <dt>Tokens</dt>
                    <dd>
                        {tokens(
                            call.usage.inputTokens,
                            call.usage.outputTokens,
                            call.usage.estimated,
                            call.model,
                        )}
                    </dd>
                </div>
            </dl>
            {first !== null && (
                <div class="timing-bar" aria-hidden="true">
                    <div class="timing-wait" style={{ width: `${share}%` }} />
                    <div class="timing-write" style={{ width: `${100 - share}%` }} />
                </div>
            )}
        </>
    );
}

function tokens(read: number | null, wrote: number | null, estimated: boolean, model: string | null): string {
    if (read === null && wrote === null)
        return model?.startsWith('demo/') ? 'not measured (scripted)' : 'not measured';
    return `${grouped(read ?? 0)} in, ${grouped(wrote ?? 0)} out${estimated ? ' (estimated)' : ''}`;
}

/** Everything that is kept; keys are in none of it. */
export function Raw({ looked, find }: PartProps) {
    const all = looked.call ?? looked.message ?? looked.context;
    if (!all) return <NoCall looked={looked} />;
    const text = JSON.stringify(all, null, 2);
    return (
        <>
            <p>
                <Button small onClick={() => void copyText(text, 'The JSON')}>
                    Copy JSON
                </Button>
            </p>
            <RawText text={text} find={find} />
        </>
    );
}
