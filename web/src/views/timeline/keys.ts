// keys.ts: the timeline by keyboard: in and out of runs, and from row to row.

import type { Command } from '../../keys/commands';
import { inspectRun } from './acts';
import { data } from './data';
import { parentOf } from './model';
import { comeOut, goBeside, goInside, pageLane, setOpen } from './state';

const STOPS = '.timeline-view [data-stop]';

function stops(): HTMLElement[] {
    return [...document.querySelectorAll<HTMLElement>(STOPS)];
}

function focus(element: HTMLElement | undefined): void {
    element?.focus();
    element?.scrollIntoView({ block: 'nearest' });
}

function step(by: 1 | -1): void {
    const all = stops();
    const at = all.indexOf(document.activeElement as HTMLElement);
    focus(at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by]);
}

export function header(lane: string): HTMLElement | undefined {
    return stops().find(e => e.dataset.lane === lane);
}

/** The run of the box that the focus is in; null: it is in none. */
function here(): string | null {
    const active = document.activeElement;
    const box =
        active instanceof Element
            ? active.closest('.timeline-box')?.querySelector<HTMLElement>('[data-lane]')
            : null;
    return box?.dataset.lane ?? null;
}

function onHeader(): boolean {
    return document.activeElement instanceof HTMLElement && document.activeElement.dataset.stop === 'run';
}

function onRow(): boolean {
    return document.activeElement instanceof HTMLElement && document.activeElement.dataset.stop === 'row';
}

function turn(open: boolean): void {
    const lane = here();
    const active = document.activeElement;
    if (
        onRow() &&
        active instanceof HTMLElement &&
        (active.getAttribute('aria-expanded') === 'true') !== open
    )
        active.click();
    else if (lane && (onHeader() || !open)) {
        setOpen(lane, open);
        focus(header(lane));
    }
}

function up(): void {
    const lane = here();
    const parent = lane ? parentOf(lane) : null;
    const target = parent ? header(parent) : undefined;
    if (target) focus(target);
    else if (parent && parent === parentOf(pageLane())) comeOut();
    else step(-1);
}

function beside(by: 1 | -1): void {
    const lane = here();
    if (lane === null) return goBeside(by);
    const siblings = data.value.lanes.get(parentOf(lane) ?? '')?.children ?? [];
    const next = siblings[siblings.indexOf(lane) + by];
    if (next) focus(header(next));
}

function inspectHere(): void {
    const lane = data.value.lanes.get(here() ?? '');
    if (lane) inspectRun(lane);
}

export function commands(): Command[] {
    const where = 'Timeline';
    const on = (
        id: string,
        title: string,
        keys: string[],
        run: () => void,
        needs?: () => boolean,
    ): Command => ({ id: `timeline.${id}`, title, keys, where, run, needs, onButton: true });
    return [
        on('next', 'Next row', ['j', 'ArrowDown'], () => step(1)),
        on('previous', 'Previous row', ['k'], () => step(-1)),
        on(
            'open',
            'Open the run or row',
            ['ArrowRight'],
            () => turn(true),
            () => here() !== null || onRow(),
        ),
        on(
            'fold',
            'Fold the run or row',
            ['ArrowLeft'],
            () => turn(false),
            () => here() !== null || onRow(),
        ),
        on(
            'inside',
            'Go inside the run',
            ['Enter'],
            () => {
                const lane = here();
                if (lane) goInside(lane);
            },
            onHeader,
        ),
        on('inspect', 'Inspect the run', ['i'], inspectHere, () => here() !== null),
        on('outside', 'Leave the run', ['Escape'], comeOut, () => pageLane() !== 'main'),
        on('parent', 'To the run above', ['ArrowUp'], up),
        on('left', 'Previous sibling run', ['Shift+ArrowLeft'], () => beside(-1)),
        on('right', 'Next sibling run', ['Shift+ArrowRight'], () => beside(1)),
    ];
}
