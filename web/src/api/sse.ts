// sse.ts: frames out of the bytes of a text/event-stream, however they are cut. Pure: what is known goes
// in and comes out, so that a cut in the middle of a letter or a line end is just two calls.

export interface Frame {
    id: string | null;
    event: string;
    data: string;
}

export interface Parser {
    /** The frames that these bytes completed. */
    push(bytes: Uint8Array): Frame[];
    /** Milliseconds that the server asks to wait before coming back; null: it did not. */
    retry(): number | null;
    /** How many bytes came, comments included: a sign of life. */
    seen(): number;
}

interface Open {
    id: string | null;
    event: string;
    data: string[];
}

const fresh = (): Open => ({ id: null, event: '', data: [] });

export function parser(): Parser {
    const decoder = new TextDecoder('utf-8');
    let rest = '';
    let open = fresh();
    let retryMs: number | null = null;
    let bytesSeen = 0;
    // A carriage return ended the last line: a newline right after it is the rest of the same line end.
    let afterReturn = false;

    function field(name: string, value: string): void {
        if (name === 'data') open.data.push(value);
        else if (name === 'event') open.event = value;
        else if (name === 'id' && !value.includes('\0')) open.id = value;
        else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
    }

    function line(text: string, found: Frame[]): void {
        if (text === '') {
            if (open.data.length > 0) {
                found.push({ id: open.id, event: open.event || 'message', data: open.data.join('\n') });
            }
            open = fresh();
            return;
        }
        const colon = text.indexOf(':');
        if (colon === 0) return;
        if (colon < 0) field(text, '');
        else field(text.slice(0, colon), text.slice(colon + (text[colon + 1] === ' ' ? 2 : 1)));
    }

    function push(bytes: Uint8Array): Frame[] {
        const found: Frame[] = [];
        bytesSeen += bytes.length;
        let text = decoder.decode(bytes, { stream: true });
        if (text === '') return found;
        if (afterReturn && text.startsWith('\n')) text = text.slice(1);
        afterReturn = text === '' ? false : text.endsWith('\r');
        const lines = (rest + text).split(/\r\n|\r|\n/);
        rest = lines.pop() ?? '';
        for (const one of lines) line(one, found);
        return found;
    }

    return { push, retry: () => retryMs, seen: () => bytesSeen };
}
