import { listChatMessages } from '../../api/calls';
import type { Result } from '../../api/client';
import type { Hit, Message } from '../../api/types';
import { AgentName, Button, Loading, Time, TroubleBox } from '../../parts/parts';
import { go } from '../../store/place';
import { world as openWorld } from '../../store/store';
import { useLoad } from '../shared/load';
import { Marked } from '../shared/mark';
import { inMain, placeOf, threadOf } from '../../store/hit-place';

export interface PreviewProps {
    world: string;
    hit: Hit;
    title: string;
    terms: string[];
}

const AROUND = 7;

async function readAround(w: string, hit: Hit, signal: AbortSignal): Promise<Result<Message[]>> {
    const [thread, main] = await Promise.all([threadOf(w, hit), inMain(w, hit)]);
    // What was said in a delegation is shown alone.
    if (!main) return { ok: true, status: 200, etag: null, value: [hit] };
    const rows = await listChatMessages(
        w,
        hit.chatId,
        { around: hit.messageId, limit: AROUND, ...(thread ? { threadId: thread } : {}) },
        { signal },
    );
    if (rows.ok) return { ...rows, value: rows.value.data };
    return rows.trouble.status === 0 ? { ok: true, status: 200, etag: null, value: loadedAround(hit) } : rows;
}

/** Without the server: what this page has of what was said around it. */
function loadedAround(hit: Hit): Message[] {
    const rows = openWorld.peek()?.chat[hit.chatId]?.rows ?? [];
    const at = rows.findIndex(m => m.messageId === hit.messageId);
    return at < 0 ? [hit] : rows.slice(Math.max(0, at - (AROUND >> 1)), at + (AROUND >> 1) + 1);
}

export function Preview({ world, hit, title, terms }: PreviewProps) {
    const read = useLoad<Message[]>(`${world}/${hit.chatId}/${hit.messageId}`, signal =>
        readAround(world, hit, signal),
    );
    const open = (view: 'chat' | 'tree'): void => void placeOf(world, hit, view).then(p => go(p));
    return (
        <aside class="search-preview" aria-label="Preview">
            <h2>{title}</h2>
            {!hit.inCurrent && (
                <p class="search-version">Only in v{hit.version}: this opens it read only, as it was.</p>
            )}
            {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
            {read.late && <Loading label="Loading the preview" />}
            <ol class="preview-rows">
                {read.value?.map(m => (
                    <li key={m.messageId} class={m.messageId === hit.messageId ? 'preview-hit' : undefined}>
                        <p class="preview-who">
                            <Time at={m.createdAt} />{' '}
                            {m.squashOperationId ? (
                                'Squash'
                            ) : m.sender === 'human' ? (
                                'You'
                            ) : (
                                <AgentName name={m.sender} />
                            )}
                        </p>
                        <p class="preview-text">
                            <Marked
                                text={cut(m.content)}
                                terms={m.messageId === hit.messageId ? terms : []}
                            />
                        </p>
                    </li>
                ))}
            </ol>
            <div class="search-actions">
                <Button kind="main" onClick={() => open('chat')}>
                    Open here
                </Button>
                <Button onClick={() => open('tree')}>Open thread</Button>
            </div>
        </aside>
    );
}

const cut = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text);
