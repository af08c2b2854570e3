// follow.ts: the end is followed while the reader is there, and left alone while they are elsewhere.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

const NEAR_PX = 80;

/** Gives the element that scrolls; `key` names what is on it, so that another run starts again. */
export function useFollow(key: string, toEnd: boolean) {
    const box = useRef<HTMLDivElement>(null);
    const inside = useRef<HTMLDivElement>(null);
    const following = useRef(toEnd);
    const stick = () => {
        const view = box.current;
        if (view && following.current) view.scrollTop = view.scrollHeight;
    };
    useLayoutEffect(() => {
        following.current = toEnd;
        if (box.current && !toEnd) box.current.scrollTop = 0;
        stick();
    }, [key, toEnd]);
    useEffect(() => {
        if (!inside.current || typeof ResizeObserver === 'undefined') return undefined;
        const watcher = new ResizeObserver(stick);
        watcher.observe(inside.current);
        if (box.current) watcher.observe(box.current);
        return () => watcher.disconnect();
    }, [key]);
    const onScroll = () => {
        const view = box.current;
        if (view) following.current = view.scrollHeight - view.clientHeight - view.scrollTop < NEAR_PX;
    };
    /** A fold or a jump is the reader's own move: the end must not pull them away. */
    const letGo = () => {
        following.current = false;
    };
    return { box, inside, onScroll, letGo };
}
