// find.tsx: find in this conversation. The browser's own find only sees the rows that are in the page.

import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { searchWorld } from '../../api/calls';
import type { Hit } from '../../api/types';
import { IconButton } from '../../parts/parts';
import { go } from '../../store/place';
import { world } from '../../store/store';
import { grouped } from '../shared/words';
import { painted } from './paint';
import { finding, herePlace } from './view-state';

const TYPING_MS = 200;
const MOST_RANGES = 500;

/** Paints the words without changing the page. */
function highlight(word: string): void {
    if (!('highlights' in CSS)) return;
    CSS.highlights.delete('chat-find');
    const log = document.querySelector('.chat-content');
    if (!log || word.length < 2) return;
    const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
    const ranges: Range[] = [];
    for (let node = walker.nextNode(); node && ranges.length < MOST_RANGES; node = walker.nextNode()) {
        const text = node.nodeValue!.toLowerCase();
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            ranges.push(range);
        }
    }
    CSS.highlights.set('chat-find', new Highlight(...ranges));
}

function useHits(chatId: string) {
    const text = useSignal('');
    const hits = useSignal<Hit[] | null>(null);
    const at = useSignal(0);
    useEffect(() => {
        const q = text.value.trim();
        if (q === '') {
            hits.value = null;
            return undefined;
        }
        const given = new AbortController();
        const timer = setTimeout(() => {
            void searchWorld(
                world.peek()?.world.name ?? '',
                { q, chatId, current: true, limit: 200 },
                { signal: given.signal },
            ).then(a => {
                if (given.signal.aborted) return;
                hits.value = a.ok ? a.value.data.filter(h => h.inCurrent) : [];
                at.value = 0;
            });
        }, TYPING_MS);
        return () => {
            clearTimeout(timer);
            given.abort();
        };
    }, [text.value, chatId]);
    return { text, hits, at };
}

export function FindBar() {
    const chatId = painted.value.chat?.chat.id ?? '';
    const box = useRef<HTMLInputElement>(null);
    const { text, hits, at } = useHits(chatId);
    useLayoutEffect(() => {
        box.current?.focus();
        return () => highlight('');
    }, []);
    useSignalEffect(() => {
        void painted.value;
        const word = text.value.trim().toLowerCase();
        requestAnimationFrame(() => highlight(word));
    });
    const list = hits.value ?? [];
    const close = () => {
        finding.value = false;
    };
    const step = (by: number, from = at.value) => {
        const p = herePlace();
        if (list.length === 0 || !p) return;
        at.value = (from + by + list.length) % list.length;
        go({ ...p, m: list[at.value]!.messageId }, { replace: true });
        box.current?.focus();
    };
    const key = (e: KeyboardEvent) => {
        if (e.key === 'Escape') {
            e.stopPropagation();
            close();
        } else if (e.key === 'Enter' && !e.isComposing) {
            e.preventDefault();
            // The newest hit comes first, and Enter goes up from there.
            const p = herePlace();
            step(e.shiftKey ? -1 : p?.m === list[at.value]?.messageId ? 1 : 0);
        }
    };
    const words =
        hits.value === null
            ? ''
            : list.length === 0
              ? 'No match'
              : `${grouped(at.value + 1)} of ${grouped(list.length)}`;
    return (
        <div class="chat-find" role="search">
            <input
                ref={box}
                class="input"
                type="search"
                aria-label="Find in this conversation"
                placeholder="Find in this conversation"
                value={text.value}
                onInput={e => {
                    text.value = e.currentTarget.value;
                }}
                onKeyDown={key}
            />
            <span class="muted" role="status">
                {words}
            </span>
            <IconButton
                icon="up"
                label="Earlier match"
                disabled={list.length === 0}
                onClick={() => step(1)}
            />
            <IconButton
                icon="down"
                label="Later match"
                disabled={list.length === 0}
                onClick={() => step(-1)}
            />
            <IconButton icon="close" label="Close find" onClick={close} />
        </div>
    );
}
