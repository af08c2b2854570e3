import { signal } from '@preact/signals';

// A region that is filled twice with the same words is read once only; the counter lets the same words be new.
const polite = signal({ text: '', turn: 0 });
const urgent = signal({ text: '', turn: 0 });

/** Said when the reader is idle: somebody writes, something is done. */
export function announce(text: string): void {
    polite.value = { text, turn: polite.value.turn + 1 };
}

/** Said at once: an error, or somebody waits for the person. */
export function alarm(text: string): void {
    urgent.value = { text, turn: urgent.value.turn + 1 };
}

/** The two regions of the page. They are there from the start: one that comes with its words is often missed. */
export function LiveRegions() {
    return (
        <div class="visually-hidden">
            <div id="live-polite" role="status" aria-live="polite" aria-atomic="true">
                <span key={polite.value.turn}>{polite.value.text}</span>
            </div>
            <div id="live-alert" role="alert" aria-live="assertive" aria-atomic="true">
                <span key={urgent.value.turn}>{urgent.value.text}</span>
            </div>
        </div>
    );
}
