import { useLayoutEffect, useRef } from 'preact/hooks';
import { Toasts } from '../../parts/parts';
import { EditPhases } from '../edit/edit';

/**
 * Notes and the phases of an edit, above what stands fast at the lower edge of the main column. How high they are is told
 * to the page: what scrolls ends where they begin, so they cover nothing.
 */
export function Notices() {
    const box = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
        const page = document.documentElement.style;
        const watch = new ResizeObserver(([one]) =>
            page.setProperty('--notices-height', `${one!.target.clientHeight}px`),
        );
        watch.observe(box.current!);
        return () => {
            watch.disconnect();
            page.removeProperty('--notices-height');
        };
    }, []);
    return (
        <div ref={box} class="frame-notices">
            <EditPhases />
            <Toasts />
        </div>
    );
}
