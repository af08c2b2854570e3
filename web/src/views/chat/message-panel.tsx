// message-panel.tsx: the right column beside the chat: all about the message that has the focus.

import { useComputed } from '@preact/signals';
import { getAnalytics, listAncestors, listThreads } from '../../api/calls';
import type { Options, Result } from '../../api/client';
import type { Message, Stats } from '../../api/types';
import { AgentName, Badge, Button, Time } from '../../parts/parts';
import { focused } from '../../store/focus';
import { chat, shown, world, shownVersion } from '../../store/store';
import { useLoad } from '../shared/load';
import { useSquashTitle } from '../shared/squashes';
import { count, dollars, firstLine, messages } from '../shared/words';
import * as act from './act';
import './panel.css';
import { known, nowhere } from './known';
import { jumpTo } from './view-state';
import { TourCard } from './welcome';
import { deliveryWord, isOrphan, parentOf, senderWord, tagWords } from './words';

function Link({ sign, message }: { sign: string; message: Message }) {
    return (
        <button type="button" class="chat-panel-link" onClick={() => jumpTo(message.messageId)}>
            {`${sign} ${senderWord(message)} `}
            <span dir="auto">{firstLine(message.content, 60)}</span>
        </button>
    );
}

function Parent({ m }: { m: Message }) {
    const id = parentOf(m);
    const found = useComputed(() => (isOrphan(m) ? nowhere : id ? known(id, m.chatId).value : null)).value;
    if (!id) return <p class="muted">none</p>;
    if (!found?.message) return <p class="muted">{found?.message === null ? 'not in this version' : '…'}</p>;
    return <Link sign="↑" message={found.message} />;
}

function Children({ m }: { m: Message }) {
    const rows = useComputed(() =>
        shown.value.rows.filter(r => parentOf(r) === m.messageId).slice(0, 8),
    ).value;
    if (rows.length === 0 && !m.replyCount) return <p class="muted">none yet</p>;
    return (
        <>
            {rows.map(r => (
                <Link key={r.messageId} sign="↓" message={r} />
            ))}
            {(m.replyCount ?? 0) > rows.length ? <p class="muted">{`${m.replyCount} in all`}</p> : null}
        </>
    );
}

function Delivered({ m }: { m: Message }) {
    const list = m.delivery ?? [];
    if (list.length === 0) return <p class="muted">nobody</p>;
    return (
        <ul class="chat-panel-list">
            {list.map(d => {
                const { sign, word } = deliveryWord(d);
                return (
                    <li key={d.agent}>
                        <span aria-hidden="true">{sign}</span> <AgentName name={d.agent} plain />{' '}
                        <span class="muted">{word}</span>
                    </li>
                );
            })}
        </ul>
    );
}

/** A thread may have as many levels as this. */
const LEVELS_MOST = 100;

/** The numbers of the whole thread that a message is in: of what its first message began. */
async function wholeThread(m: Message, threadId: string | undefined, o: Options): Promise<Result<Stats>> {
    const w = world.peek()?.world.name ?? '';
    const query = { chatId: m.chatId, threadId, limit: LEVELS_MOST, fields: 'messageId' };
    const above = parentOf(m) === null ? null : await listAncestors(w, m.messageId, query, o);
    if (above && !above.ok) return above;
    const root = above?.value.data.at(-1)?.messageId ?? m.messageId;
    return getAnalytics(w, m.chatId, { root, threadId }, o);
}

function ThreadNumbers({ m }: { m: Message }) {
    // Of the version on the screen, which may be left behind at any moment; of what is not in it there is nothing to ask.
    const old = shownVersion.value;
    const version = old ?? chat.value?.thread;
    const { rows, total } = shown.value;
    const isThere =
        (old !== null || chat.value?.stale === false) && rows.some(r => r.messageId === m.messageId);
    const stats = useLoad(
        isThere ? m.messageId : null,
        signal => wholeThread(m, version, { signal }),
        `${version}/${total}`,
    );
    const s = stats.value;
    if (!s) return <p class="muted">…</p>;
    const { agents } = world.value ?? { agents: {} };
    const answered = Object.keys(s.senders).filter(name => name in agents).length;
    return (
        <>
            <p>{`${messages(s.messages, s.toolResults)}, depth ${s.depth}`}</p>
            <p>{`${count(answered, 'agent')} answered`}</p>
            {s.unanswered > 0 ? (
                <p>{`${count(s.unanswered, 'message has', 'messages have')} no answer`}</p>
            ) : null}
        </>
    );
}

/** The newest version that holds it, of all that there are: later ones than the current stay after an undo. */
function versionWords(m: Message, total: number): string {
    const all = m.versions ?? [];
    const newest = all[0] ?? chat.value?.chat.version;
    if (newest === undefined) return '';
    return `v${newest}${total > newest ? ` of ${total}` : ''}${all.length > 1 ? `, since v${all.at(-1)}` : ''}`;
}

/** How many versions the conversation has; 0: not known. */
function useVersionCount(chatId: string | undefined): number {
    const w = world.value?.world.name ?? '';
    const newest = useLoad(
        chatId === undefined ? null : `${w}/${chatId}`,
        signal => listThreads(w, chatId ?? '', { limit: 1 }, { signal }),
        world.value?.versions,
    );
    return newest.value?.page.total ?? 0;
}

function About({ m, versions }: { m: Message; versions: number }) {
    const tags = tagWords(m.instructions);
    const squash = useSquashTitle(m.squashOperationId);
    return (
        <>
            <p class="chat-panel-id">
                <code>{m.messageId}</code>
            </p>
            <p>
                {squash ?? (m.sender === 'human' ? 'You' : <AgentName name={m.sender} />)},{' '}
                <Time at={m.createdAt} seconds />
            </p>
            <h3>Parent</h3>
            <Parent m={m} />
            <h3>Children</h3>
            <Children m={m} />
            <h3>Delivered to</h3>
            <Delivered m={m} />
            <dl>
                <dt>Version</dt>
                <dd>{versionWords(m, versions)}</dd>
                {tags.length > 0 ? (
                    <>
                        <dt>Tags</dt>
                        <dd>
                            {tags.map(t => (
                                <Badge key={t} kind="muted">
                                    {t}
                                </Badge>
                            ))}
                        </dd>
                    </>
                ) : null}
                {m.model ? (
                    <>
                        <dt>Model</dt>
                        <dd>{m.model}</dd>
                    </>
                ) : null}
                {m.usage ? (
                    <>
                        <dt>Tokens</dt>
                        <dd>
                            {`${m.usage.inputTokens ?? '?'} in${m.usage.cachedTokens ? ` (${m.usage.cachedTokens} cached)` : ''}, ${m.usage.outputTokens ?? '?'} out`}
                        </dd>
                        <dt>Cost</dt>
                        <dd>{m.usage.costNanos === null ? 'not known' : dollars(m.usage.costNanos)}</dd>
                    </>
                ) : m.model?.startsWith('demo/') ? (
                    <>
                        <dt>Tokens</dt>
                        <dd>not measured (scripted)</dd>
                    </>
                ) : null}
            </dl>
            <div class="chat-panel-ways">
                <Button small onClick={() => act.inspect(m)}>
                    Inspect <kbd>i</kbd>
                </Button>
                <Button small onClick={() => act.copyLink(m)}>
                    Copy link
                </Button>
                <Button small onClick={() => void act.exportThread(m)}>
                    Export thread
                </Button>
            </div>
            <h3>Whole thread</h3>
            <ThreadNumbers m={m} />
        </>
    );
}

export function MessagePanel() {
    const m = useComputed(() => shown.value.rows.find(r => r.messageId === focused.value)).value;
    const versions = useVersionCount(m?.chatId);
    return (
        <div class="chat-panel">
            <TourCard />
            {m ? (
                // One of its own for each message: what is computed of one is not true of the next.
                <About key={m.messageId} m={m} versions={versions} />
            ) : (
                <p class="muted">
                    Select a message to see where it came from and who has it. Keys: press <kbd>F1</kbd>
                </p>
            )}
        </div>
    );
}
