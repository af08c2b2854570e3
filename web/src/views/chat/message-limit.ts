// message-limit.ts: how long a message may be. The server decides (limits.messageBytes), and counts bytes of UTF-8.

import { getSettings } from '../../api/calls';

/** Characters that every server takes: its limit is 1000 bytes at least, and a character has three at most. */
const SURE = 333;

/** As the server reads a size: 1000000, 500kB, 1 MB. null: it is none. */
export function sizeOf(value: unknown): number | null {
    const [, digits, unit] = /^\s*(\d+)\s*(|b|kb|mb|gb)\s*$/i.exec(String(value)) ?? [];
    if (digits === undefined) return null;
    const factors: Record<string, number> = { kb: 1e3, mb: 1e6, gb: 1e9 };
    return Number(digits) * (factors[unit?.toLowerCase() ?? ''] ?? 1);
}

let most: number | null = null;
let asking: Promise<void> | null = null;

async function ask(): Promise<void> {
    const answer = await getSettings();
    const entry = answer.ok ? answer.value.configuration['limits.messageBytes'] : undefined;
    most = entry && !Array.isArray(entry) ? sizeOf(entry.value) : null;
    if (most === null) asking = null;
}

/** Called while a text is written, so that the limit is known when it is sent; null: there is nothing to wait for. */
export function learnLimit(length: number): Promise<void> | null {
    if (length <= SURE || most !== null) return null;
    asking ??= ask();
    return asking;
}

export interface TooLong {
    bytes: number;
    most: number;
}

/** null: it is not too long, or only the server can tell. */
export function tooLong(text: string): TooLong | null {
    if (most === null || text.length <= SURE) return null;
    const found = { bytes: new Blob([text]).size, most };
    if (found.bytes <= most) return null;
    // Asked for again at the next try: the server may have been started with another limit since.
    most = asking = null;
    return found;
}
