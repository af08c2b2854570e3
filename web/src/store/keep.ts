// keep.ts: localStorage as JSON. A browser that refuses to store (private windows, full disks) is not a failure.

export function kept(key: string): unknown {
    try {
        const text = localStorage.getItem(key);
        return text === null ? null : JSON.parse(text);
    } catch {
        return null;
    }
}

/** null removes it. */
export function keep(key: string, value: unknown): void {
    try {
        if (value === null) localStorage.removeItem(key);
        else {
            const text = JSON.stringify(value);
            if (localStorage.getItem(key) !== text) localStorage.setItem(key, text);
        }
    } catch {
        // The page continues with what it has in memory.
    }
}
