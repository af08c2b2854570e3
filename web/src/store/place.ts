// place.ts: everything that can be on screen has an address, so that it can be shared, and Back works.

import { computed, signal, type ReadonlySignal } from '@preact/signals';

export type View = 'chat' | 'tree' | 'timeline' | 'history';

export type Place =
    | { kind: 'start' }
    | { kind: 'world'; w: string }
    | { kind: 'chat'; w: string; c: string; view: View; v?: string; m?: string; lane?: string }
    | { kind: 'agents'; w: string }
    | { kind: 'agent'; w: string; a: string; tab?: string }
    | { kind: 'inbox'; item?: string; filter?: string }
    | { kind: 'search'; q: string; w?: string }
    | { kind: 'settings'; tab: string }
    | { kind: 'unknown'; path: string };

/** What is looked into, over the place: one of them. */
export interface Inspecting {
    messageId?: string;
    callId?: string;
    agent?: string;
}

const VIEWS: readonly string[] = ['chat', 'tree', 'timeline', 'history'];
const MESSAGE = '#m-';
export const FIRST_TAB = 'models';

const part = encodeURIComponent;

function withQuery(path: string, query: Record<string, string | undefined>, hash = ''): string {
    const wanted = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) wanted.set(name, value);
    const text = wanted.toString();
    return path + (text ? `?${text}` : '') + hash;
}

export function href(p: Place): string {
    switch (p.kind) {
        case 'start':
            return '/';
        case 'world':
            return `/w/${part(p.w)}`;
        case 'chat': {
            const query = { view: p.view === 'chat' ? undefined : p.view, v: p.v, lane: p.lane };
            return withQuery(
                `/w/${part(p.w)}/c/${part(p.c)}`,
                query,
                p.m === undefined ? '' : MESSAGE + part(p.m),
            );
        }
        case 'agents':
            return `/w/${part(p.w)}/agents`;
        case 'agent':
            return withQuery(`/w/${part(p.w)}/a/${part(p.a)}`, { tab: p.tab });
        case 'inbox':
            return withQuery(p.item === undefined ? '/inbox' : `/inbox/${part(p.item)}`, {
                filter: p.filter,
            });
        case 'search':
            return withQuery('/search', { q: p.q, w: p.w });
        case 'settings':
            return `/settings/${part(p.tab)}`;
        case 'unknown':
            return p.path;
    }
}

// An address that somebody typed may hold a bad escape, which decodeURIComponent throws on.
function plain(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

function given(url: URL, name: string): string | undefined {
    return url.searchParams.get(name) ?? undefined;
}

/** Leaves out what is not given, so that two places are equal when their members are. */
function tidy<P extends Place>(p: P): P {
    return Object.fromEntries(Object.entries(p).filter(([, value]) => value !== undefined)) as P;
}

function parseChat(url: URL, w: string, c: string): Place {
    const view = given(url, 'view') ?? 'chat';
    const m = url.hash.startsWith(MESSAGE) ? plain(url.hash.slice(MESSAGE.length)) : undefined;
    return tidy({
        kind: 'chat',
        w,
        c,
        view: (VIEWS.includes(view) ? view : 'chat') as View,
        v: given(url, 'v'),
        m,
        lane: given(url, 'lane'),
    });
}

function parseWorld(url: URL, w: string, rest: string[]): Place | null {
    const [kind, id] = rest;
    if (rest.length === 0) return { kind: 'world', w };
    // `/a` is what is left of an agent's address without its name.
    if ((kind === 'agents' || kind === 'a') && rest.length === 1) return { kind: 'agents', w };
    if (rest.length !== 2 || !id) return null;
    if (kind === 'c') return parseChat(url, w, id);
    if (kind === 'a') return tidy({ kind: 'agent', w, a: id, tab: given(url, 'tab') });
    return null;
}

export function parse(url: URL): Place {
    const parts = url.pathname
        .split('/')
        .filter(p => p !== '')
        .map(plain);
    const [head, second] = parts;
    const lost: Place = { kind: 'unknown', path: url.pathname + url.search + url.hash };
    if (parts.length === 0) return { kind: 'start' };
    if (head === 'w' && second) return parseWorld(url, second, parts.slice(2)) ?? lost;
    if (head === 'inbox' && parts.length <= 2)
        return tidy({ kind: 'inbox', item: second, filter: given(url, 'filter') });
    if (head === 'search' && parts.length === 1)
        return tidy({ kind: 'search', q: given(url, 'q') ?? '', w: given(url, 'w') });
    if (head === 'settings' && parts.length <= 2) return { kind: 'settings', tab: second ?? FIRST_TAB };
    return lost;
}

// --- What is looked into is a part of the address, but not of the place: nothing under it is drawn again ---------

const INSPECT = 'inspect';
const KINDS = { message: 'messageId', call: 'callId', agent: 'agent' } as const;
type Kind = keyof typeof KINDS;

/** Only over what a world has. */
export function parseInspecting(url: URL): Inspecting | null {
    const [, kind, id] = /^(message|call|agent):(.+)$/s.exec(given(url, INSPECT) ?? '') ?? [];
    if (!kind || !id || !['chat', 'agents', 'agent'].includes(parse(url).kind)) return null;
    return { [KINDS[kind as Kind]]: id };
}

/** The address of a place with what is looked into there. */
export function hrefInspecting(p: Place, what: Inspecting | null): string {
    const url = new URL(href(p), location.href);
    for (const kind of Object.keys(KINDS) as Kind[]) {
        const id = what?.[KINDS[kind]];
        if (id !== undefined && !url.searchParams.has(INSPECT))
            url.searchParams.set(INSPECT, `${kind}:${id}`);
    }
    return url.pathname + url.search + url.hash;
}

const here = signal<Place>(parse(new URL(location.href)));
export const place: ReadonlySignal<Place> = computed(() => here.value);
const looked = signal<Inspecting | null>(parseInspecting(new URL(location.href)));
export const inspecting: ReadonlySignal<Inspecting | null> = computed(() => looked.value);

/** Kept with an entry of the history: the one before it is the same place with nothing looked into. */
const OVER = { over: true };

function show(to: string, o: { replace?: boolean; state?: unknown } = {}): void {
    const from = location.pathname + location.search + location.hash;
    if (to === from) return;
    if (o.replace) history.replaceState(history.state, '', to);
    else history.pushState(o.state ?? null, '', to);
}

// Going back takes a moment, and a step elsewhere meanwhile starts from its target.
let leaving = false;
let next: (() => void) | null = null;

/** An address that is only put right (`replace`) keeps what is looked into; a step elsewhere closes it. */
export function go(p: Place, o: { replace?: boolean } = {}): void {
    if (leaving) {
        next = () => go(p, o);
        return;
    }
    if (!o.replace) looked.value = null;
    const to = hrefInspecting(p, looked.value);
    show(to, o);
    here.value = parse(new URL(to, location.href));
}

/** Looks into something; from there into something else is not a step of its own for Back. */
export function inspect(what: Inspecting): void {
    show(hrefInspecting(here.value, what), { replace: looked.value !== null, state: OVER });
    looked.value = what;
}

export function stopInspecting(): void {
    if (looked.value === null) return;
    looked.value = null;
    if ((history.state as typeof OVER | null)?.over) {
        leaving = true;
        history.back();
    } else show(href(here.value), { replace: true });
}

function follow(): void {
    const url = new URL(location.href);
    const over = parseInspecting(url);
    const p = parse(url);
    const only = (over !== null || looked.value !== null || leaving) && href(p) === href(here.value);
    looked.value = over;
    if (!only) here.value = p;
    leaving = false;
    const then = next;
    next = null;
    then?.();
}

addEventListener('popstate', follow);
addEventListener('hashchange', follow);
