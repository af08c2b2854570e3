// safe.ts: which addresses a message may link to, and what its character references mean.

const SCHEME = /^(https?:\/\/|mailto:)/i;
const NAMED: Record<string, string> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    laquo: '«',
    raquo: '»',
    middot: '·',
    deg: '°',
    times: '×',
    euro: '€',
    para: '¶',
    sect: '§',
};
const LONGEST_ADDRESS = 4096;

/** The address, when a click on it may leave this page; else null, and the text stays text. */
export function safeAddress(address: string): string | null {
    // Browsers drop these from addresses, so `java\nscript:` would be the script that it does not look like.
    const seen = address.replace(/[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '');
    if (seen.length > LONGEST_ADDRESS || !SCHEME.test(seen)) return null;
    try {
        return new URL(seen).href;
    } catch {
        return null;
    }
}

/** `&lt;` and the like as what they stand for. The lexer leaves them, because others print HTML. */
export function unescaped(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
        if (!name.startsWith('#')) return NAMED[name] ?? whole;
        const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
        const bad = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
        return bad ? '\ufffd' : String.fromCodePoint(code);
    });
}
