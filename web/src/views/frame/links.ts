import { go, parse } from '../../store/place';

/** Links inside the page move within it; a new tab, another site and the server's own pages stay the browser's. */
export function followLinks(): () => void {
    const click = (event: MouseEvent) => {
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        const link = (event.target as Element | null)?.closest?.('a[href]');
        if (!(link instanceof HTMLAnchorElement)) return;
        if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
        const to = parse(new URL(link.href));
        if (to.kind === 'unknown') return;
        event.preventDefault();
        go(to);
    };
    document.addEventListener('click', click);
    return () => document.removeEventListener('click', click);
}
