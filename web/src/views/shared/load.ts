// load.ts: what a view reads from the server by itself. What was read stays on the screen while it is read again.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Result, Trouble } from '../../api/client';
import { isLive } from './away';

export interface Loaded<T> {
    value: T | null;
    trouble: Trouble | null;
    /** it has taken so long that the screen should say so */
    late: boolean;
    reload: () => void;
    /** changes what is shown until the next answer: for what is done before the server has said so */
    set: (change: (value: T) => T) => void;
}

/** Shorter waits than this show nothing: a flash of grey rows is worse than none. */
export const LATE_MS = 300;

interface Kept<T> {
    key: string | null;
    value: T | null;
    trouble: Trouble | null;
}

/** Reads again whenever `key` or `tick` changes; null: there is nothing to read. */
export function useLoad<T>(
    key: string | null,
    read: (signal: AbortSignal) => Promise<Result<T>>,
    tick: unknown = 0,
): Loaded<T> {
    const [kept, setKept] = useState<Kept<T>>({ key: null, value: null, trouble: null });
    const [late, setLate] = useState(false);
    const [again, setAgain] = useState(0);
    const reader = useRef(read);
    reader.current = read;

    useEffect(() => {
        if (key === null) return undefined;
        const given = new AbortController();
        const timer = setTimeout(() => setLate(true), LATE_MS);
        void reader.current(given.signal).then(result => {
            if (given.signal.aborted) return;
            clearTimeout(timer);
            setLate(false);
            setKept(was =>
                result.ok
                    ? { key, value: result.value, trouble: null }
                    : { key, value: was.key === key ? was.value : null, trouble: result.trouble },
            );
        });
        return () => {
            clearTimeout(timer);
            given.abort();
        };
    }, [key, tick, again]);

    // What could not be asked while the server was away is asked when it is back.
    const missed = kept.trouble?.status === 0;
    const live = isLive();
    useEffect(() => {
        if (missed && live) setAgain(n => n + 1);
    }, [missed, live]);

    const current = kept.key === key ? kept : { value: null, trouble: null };
    return {
        value: current.value,
        trouble: current.trouble,
        late: late && current.value === null,
        reload: useCallback(() => setAgain(n => n + 1), []),
        set: useCallback(
            change => setKept(was => (was.value === null ? was : { ...was, value: change(was.value) })),
            [],
        ),
    };
}
