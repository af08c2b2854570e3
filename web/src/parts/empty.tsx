import type { ComponentChildren } from 'preact';
import './marks.css';

/** What a screen says when it has nothing to show: always words, mostly with a way on. */
export function Empty({ children }: { children: ComponentChildren }) {
    return <div class="empty">{children}</div>;
}

/** Grey rows while something is fetched; they appear only after 300 ms, so that quick answers do not flicker. */
export function Loading({ label, rows = 4 }: { label: string; rows?: number }) {
    return (
        <div class="loading" role="status">
            <span class="visually-hidden">{label}</span>
            {Array.from({ length: rows }, (_, row) => (
                <i key={row} aria-hidden="true" />
            ))}
        </div>
    );
}
