// rail.tsx: where the reader is in the whole conversation. The scrollbar only knows the rows that are in the page.

import { computed, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, Dialog, Field, day } from '../../parts/parts';
import { go } from '../../store/place';
import { grouped } from '../shared/words';
import { messageAt, messageOfDay, readTarget } from './position';
import { painted } from './paint';
import { herePlace, scroll, toLatest } from './view-state';

/** Shorter conversations are seen by scrolling. */
const LEAST = 60;
const PAGE = 200;
const STEP = 10;
const DATES = 6;

const topRow = computed(() => {
    const id = scroll.top.value;
    const { rows } = painted.value.shown;
    return rows.find(m => m.messageId === id) ?? rows.at(-1) ?? null;
});

interface Mark {
    at: number;
    kind: 'date' | 'summary' | 'failed' | 'branch';
    title: string;
}

const SIGNS: Record<Mark['kind'], string> = { date: '–', summary: '◆', failed: '✕', branch: '·' };

/** What is known of the loaded part. */
function marksOf(): Mark[] {
    const { shown, chat } = painted.value;
    const failed = new Set(Object.values(chat?.failed ?? {}).map(f => f.replyTo));
    const marks: Mark[] = [];
    let before = 0;
    for (const m of shown.rows) {
        const versions = m.versions?.length ?? 0;
        if (m.role === 'summary') marks.push({ at: m.position, kind: 'summary', title: 'Summary' });
        else if (failed.has(m.messageId))
            marks.push({ at: m.position, kind: 'failed', title: 'An answer failed' });
        else if (before > versions && versions > 0 && m.position > 0)
            marks.push({ at: m.position, kind: 'branch', title: 'Versions branch here' });
        before = versions;
    }
    return marks.slice(0, 60);
}

/** Days at a few places of the whole conversation. */
function useDates(chatId: string, total: number): Mark[] {
    const dates = useSignal<Mark[]>([]);
    const rough = Math.floor(total / 1000);
    useEffect(() => {
        let wanted = true;
        const places = Array.from({ length: DATES }, (_, n) => Math.floor((n * (total - 1)) / (DATES - 1)));
        void Promise.all(places.map(messageAt)).then(found => {
            if (!wanted) return;
            const words = found.map(m => (m ? day(m.createdAt) : ''));
            dates.value = places.flatMap((at, n) =>
                words[n] && words[n] !== words[n - 1]
                    ? [{ at, kind: 'date' as const, title: words[n]! }]
                    : [],
            );
        });
        return () => {
            wanted = false;
        };
    }, [chatId, rough]);
    return dates.value;
}

export async function goToPosition(position: number): Promise<void> {
    const m = await messageAt(position);
    const p = herePlace();
    if (m && p) go({ ...p, m: m.messageId });
}

function GoToDialog({ total, onClose }: { total: number; onClose: () => void }) {
    const text = useSignal('');
    const error = useSignal<string | null>(null);
    const find = async () => {
        const target = readTarget(text.value, total);
        const p = herePlace();
        const m = !target
            ? null
            : 'position' in target
              ? await messageAt(target.position)
              : await messageOfDay(target.day, total);
        if (!m || !p) {
            error.value = target ? 'There is no message there.' : 'Write a number, or a date such as 14 Nov.';
            return;
        }
        onClose();
        go({ ...p, m: m.messageId });
    };
    return (
        <Dialog
            title="Go to a message"
            onClose={onClose}
            actions={
                <Button kind="main" onClick={() => void find()}>
                    Go
                </Button>
            }
        >
            <Field
                label={`Number, 1 to ${grouped(total)}, or a date`}
                value={text.value}
                error={error.value}
                autoFocus
                onInput={v => {
                    text.value = v;
                    error.value = null;
                }}
                onEnter={() => void find()}
            />
        </Dialog>
    );
}

export function Rail() {
    const { total } = painted.value.shown;
    const chatId = painted.value.chat?.chat.id ?? '';
    if (total < LEAST) return null;
    return <RailOf total={total} chatId={chatId} />;
}

function RailOf({ total, chatId }: { total: number; chatId: string }) {
    const rail = useRef<HTMLDivElement>(null);
    const asking = useSignal(false);
    const row = topRow.value;
    const dates = useDates(chatId, total);
    const marks = useComputed(marksOf).value;
    const at = scroll.following.value ? total - 1 : (row?.position ?? total - 1);
    const words = `message ${grouped(at + 1)} of ${grouped(total)}${row ? `, ${day(row.createdAt)}` : ''}`;
    const to = (position: number) =>
        position >= total - 1 ? void toLatest() : void goToPosition(Math.max(0, position));
    const moves: Record<string, number> = {
        Home: 0,
        End: total - 1,
        PageUp: at - PAGE,
        PageDown: at + PAGE,
        ArrowUp: at - STEP,
        ArrowLeft: at - STEP,
        ArrowDown: at + STEP,
        ArrowRight: at + STEP,
    };
    const key = (e: KeyboardEvent) => {
        const wanted = moves[e.key];
        if (/^\d$/.test(e.key) || e.key === 'Enter') asking.value = true;
        else if (wanted === undefined) return;
        else to(wanted);
        e.preventDefault();
        e.stopPropagation();
    };
    const click = (e: MouseEvent) => {
        const box = rail.current!.getBoundingClientRect();
        to(Math.round(((e.clientY - box.top) / box.height) * (total - 1)));
    };
    return (
        <div class="chat-rail">
            <div
                ref={rail}
                class="chat-rail-line"
                role="slider"
                tabIndex={0}
                aria-orientation="vertical"
                aria-label="Position in the conversation"
                aria-valuemin={1}
                aria-valuemax={total}
                aria-valuenow={at + 1}
                aria-valuetext={words}
                title={words}
                onKeyDown={key}
                onClick={click}
            >
                {[...dates, ...marks].map(m => (
                    <span
                        key={`${m.kind}${m.at}`}
                        class={`chat-rail-mark chat-rail-${m.kind}`}
                        title={m.title}
                        style={{ top: `${(m.at / (total - 1)) * 100}%` }}
                        aria-hidden="true"
                    >
                        {SIGNS[m.kind]}
                    </span>
                ))}
                <span class="chat-rail-here" style={{ top: `${(at / Math.max(1, total - 1)) * 100}%` }} />
            </div>
            <button
                type="button"
                class="chat-rail-go"
                aria-label={`Go to a message by number or date. Now at ${words}`}
                title={`${words}. Click to go elsewhere.`}
                onClick={() => {
                    asking.value = true;
                }}
            >
                #
            </button>
            {asking.value ? (
                <GoToDialog
                    total={total}
                    onClose={() => {
                        asking.value = false;
                    }}
                />
            ) : null}
        </div>
    );
}
