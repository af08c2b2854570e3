// client.ts: one request to the server. It never throws: what went wrong is a value that a view can show.

import { pageHint } from './page-hint';
import { signal } from '@preact/signals';
import { BASE, earlyAnswer, TIMEOUT_MS } from './early';
import { heedEvent } from './standing';
import type { Busy } from './types';

export interface Trouble {
    /** of HTTP; 0: the server was not reached */
    status: number;
    type: string;
    title: string;
    detail: string;
    code?: string;
    hint?: string;
    requestId?: string;
    retryAfterMs?: number;
    busy?: Busy[];
    errors?: { pointer: string; detail: string }[];
    [more: string]: unknown;
}

export type Result<T> =
    { ok: true; value: T; status: number; etag: string | null } | { ok: false; trouble: Trouble };

export type Query = Record<string, string | number | boolean | undefined>;

export interface Options {
    ifMatch?: string;
    /** Idempotency-Key: the same key for the same act, however often it is tried */
    key?: string;
    signal?: AbortSignal;
    query?: Query;
    headers?: Record<string, string>;
    /** 0: no limit */
    timeoutMs?: number;
}

/** The server does not know this browser: it has no cookie, or one that is good no more. */
export const needsToken = signal(false);
/** The server changes nothing at present; known by its refusal. */
export const readOnly = signal(false);

export function newKey(): string {
    // randomUUID is missing where the page was not loaded over https or from localhost.
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('');
}

export function address(path: string, query: Query = {}): string {
    const wanted = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) wanted.set(name, String(value));
    }
    const text = wanted.toString();
    return BASE + path + (text ? `?${text}` : '');
}

function unreached(reason: unknown): Trouble {
    const late = reason instanceof DOMException && reason.name === 'TimeoutError';
    const ended = reason instanceof DOMException && reason.name === 'AbortError';
    if (ended) {
        return {
            status: 0,
            type: 'aborted',
            title: 'Given up',
            detail: 'The request was cancelled.',
            code: 'aborted',
        };
    }
    return {
        status: 0,
        type: late ? 'timeout' : 'unreachable',
        title: late ? 'No answer in time' : 'The server cannot be reached',
        detail: late
            ? `There was no answer within ${TIMEOUT_MS / 1000} seconds.`
            : 'Nothing answered at the address of this page.',
        code: late ? 'timeout' : 'unreachable',
        hint: 'Nothing is lost. Check that the server is running, then retry.',
    };
}

/** What a failed answer says; an answer that is not a problem document is described by its status. */
export async function troubleOf(answer: Response): Promise<Trouble> {
    if (answer.status === 401) needsToken.value = true;
    const plain: Trouble = {
        status: answer.status,
        type: 'about:blank',
        title: answer.statusText || `Status ${answer.status}`,
        detail: `The server answered with status ${answer.status}.`,
        requestId: answer.headers.get('x-request-id') ?? undefined,
    };
    try {
        const body: unknown = await answer.json();
        if (body === null || typeof body !== 'object') return plain;
        const trouble = { ...plain, ...body, status: answer.status } as Trouble;
        if (trouble.type === '/problems/read-only') readOnly.value = true;
        if (trouble.hint) trouble.hint = pageHint(trouble.hint) || undefined;
        return trouble;
    } catch {
        return plain;
    }
}

function headersOf(method: string, options: Options, body: unknown): Record<string, string> {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (body !== undefined && !(body instanceof Blob)) headers['Content-Type'] = 'application/json';
    if (method !== 'GET') headers['Idempotency-Key'] = options.key ?? newKey();
    if (options.ifMatch) headers['If-Match'] = options.ifMatch;
    return { ...headers, ...options.headers };
}

async function valueOf<T>(answer: Response): Promise<T> {
    const type = answer.headers.get('content-type') ?? '';
    if (answer.status === 204) return undefined as T;
    if (type.includes('json') && !type.includes('jsonl')) return (await answer.json()) as T;
    if (type.startsWith('text/')) return (await answer.text()) as T;
    return (await answer.blob()) as T;
}

function signalOf(options: Options): AbortSignal | undefined {
    const limit = options.timeoutMs ?? TIMEOUT_MS;
    const late = limit > 0 ? AbortSignal.timeout(limit) : undefined;
    const signals = [options.signal, late].filter(s => s !== undefined);
    return signals.length > 0 ? AbortSignal.any(signals) : undefined;
}

let startedReadOnly = false;

/** A server that was started read only says so with every answer; another one may come after it. */
export function heedReadOnly(answer: Response): void {
    const says = answer.headers.has('skein-read-only');
    if (says !== startedReadOnly) readOnly.value = says;
    startedReadOnly = says;
}

function ask(method: string, path: string, options: Options, body: unknown): Promise<Response> {
    const to = address(path, options.query);
    const early = method === 'GET' ? earlyAnswer(to) : undefined;
    return (
        early ??
        fetch(to, {
            method,
            headers: headersOf(method, options, body),
            body: body === undefined ? undefined : body instanceof Blob ? body : JSON.stringify(body),
            signal: signalOf(options),
            cache: 'no-store',
        })
    );
}

/** Asks `path`, which is under /api/v1. */
export async function request<T>(
    method: string,
    path: string,
    options: Options & { body?: unknown } = {},
): Promise<Result<T>> {
    const { body } = options;
    try {
        const answer = await ask(method, path, options, body);
        heedReadOnly(answer);
        if (method === 'GET') heedEvent(answer);
        if (!answer.ok) return { ok: false, trouble: await troubleOf(answer) };
        needsToken.value = false;
        if (method !== 'GET') readOnly.value = false;
        const value = await valueOf<T>(answer);
        return { ok: true, value, status: answer.status, etag: answer.headers.get('etag') };
    } catch (reason) {
        if (method === 'GET') heedEvent(null);
        return { ok: false, trouble: unreached(reason) };
    }
}
