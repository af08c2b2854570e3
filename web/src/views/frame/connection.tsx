import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { announce, Banner, Button, clock } from '../../parts/parts';
import type { Connection } from '../../api/stream';
import { chat, notice, retryNow, state } from '../../store/store';
import { count, grouped } from '../shared/words';

export interface ConnectionWords {
    shape: string;
    word: string;
    kind: 'ok' | 'warn' | 'muted';
}

export function connectionWords(connection: Connection): ConnectionWords {
    switch (connection.state) {
        case 'live':
            return { shape: '●', word: 'live', kind: 'ok' };
        case 'connecting':
            return { shape: '◌', word: 'connecting', kind: 'muted' };
        case 'catchingUp':
            return { shape: '◐', word: `catching up ${grouped(connection.left)}`, kind: 'warn' };
        case 'offline':
            return { shape: '○', word: `offline since ${clock(connection.since)}`, kind: 'warn' };
        case 'readOnly':
            return { shape: '●', word: 'read only', kind: 'warn' };
    }
}

/** Seconds until the next try, counted here; a clock that does not run does not move the page. */
function useCountdown(until: number | null): number | null {
    const now = useSignal(Date.now());
    useEffect(() => {
        if (until === null) return;
        now.value = Date.now();
        const tick = setInterval(() => {
            now.value = Date.now();
        }, 1000);
        return () => clearInterval(tick);
    }, [until]);
    return until === null ? null : Math.max(0, Math.ceil((until - now.value) / 1000));
}

export function ConnectionPill() {
    const { connection } = state.value;
    const offline = connection.state === 'offline' ? connection : null;
    const left = useCountdown(offline ? offline.retryAt : null);
    const { shape, word, kind } = connectionWords(connection);
    const text = (
        <>
            <span class="frame-pill-shape" aria-hidden="true">
                {shape}
            </span>
            <span class="frame-pill-word">{word}</span>
        </>
    );
    if (!offline)
        return (
            <span class={`frame-pill frame-pill-${kind}`} title={`Connection: ${word}`}>
                {text}
            </span>
        );
    return (
        <button
            type="button"
            class={`frame-pill frame-pill-${kind}`}
            onClick={retryNow}
            aria-label={`${word}. Retry now`}
            title={`${word}. Press to retry now`}
        >
            {text}
            {/* Seconds are for the eye: a name that changes all the time would be read out again and again. */}
            {left !== null && <span class="frame-pill-wait" data-left={`${left} s`} />}
        </button>
    );
}

const goesOn = 'The page reconnects by itself when the server is back.';

function waitingWords(n: number): string {
    if (n === 0) return 'You can read, write and queue.';
    return `You can read, write and queue; ${count(n, 'message')} will be sent later.`;
}

/** Shown only when the whole screen is affected, and said once. */
export function ConnectionBanner() {
    const { connection, readOnly } = state.value;
    const since = connection.state === 'offline' ? clock(connection.since) : null;
    useEffect(() => {
        if (since) announce(`Offline since ${since}.`);
    }, [since]);
    if (connection.state === 'offline') {
        const waiting = chat.value?.pending.filter(one => one.state !== 'failed').length ?? 0;
        return (
            <Banner
                kind="warn"
                label="Offline"
                actions={
                    <Button small onClick={retryNow}>
                        Retry now
                    </Button>
                }
            >
                Offline since {since}. {chat.value ? waitingWords(waiting) : goesOn}
            </Banner>
        );
    }
    if (notice.value) {
        const soon =
            notice.value.inMs === null ? '' : ` in ${Math.max(1, Math.round(notice.value.inMs / 1000))} s`;
        return (
            <Banner kind="warn" label="The server stops">
                The server stops{soon}: {notice.value.reason}.
            </Banner>
        );
    }
    if (readOnly || connection.state === 'readOnly') {
        return (
            <Banner kind="info" label="Read only">
                This server is read only: you can see everything and change nothing.
            </Banner>
        );
    }
    return null;
}
