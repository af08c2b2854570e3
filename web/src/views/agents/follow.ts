// follow.ts: a number that grows when something happens, so that what a view has read is read again.

import { useEffect, useState } from 'preact/hooks';
import type { EventName, Told } from '../../api/types';
import { on } from '../../store/store';

/** Many events of one moment are one reason to read again. */
const GATHER_MS = 120;

export function useTick(
    types: readonly EventName[],
    wanted: (e: Told<EventName>) => boolean = () => true,
): number {
    const [tick, setTick] = useState(0);
    useEffect(() => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const heard = (e: Told<EventName>): void => {
            if (timer !== undefined || !wanted(e)) return;
            timer = setTimeout(() => {
                timer = undefined;
                setTick(n => n + 1);
            }, GATHER_MS);
        };
        const ends = types.map(type => on(type, heard));
        return () => {
            clearTimeout(timer);
            ends.forEach(end => end());
        };
    }, [types.join(' ')]);
    return tick;
}
