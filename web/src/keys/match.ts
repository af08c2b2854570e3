/** Every word of what is typed begins somewhere in the text; "la pl" finds "Launch plan". */
export function fits(typed: string, text: string): boolean {
    const low = text.toLowerCase();
    return typed
        .toLowerCase()
        .split(/\s+/)
        .filter(Boolean)
        .every(word => low.includes(word));
}

/** A search result on one line, without the marks around what was found. */
export function plainSnippet(text: string): string {
    return text
        .replace(/[\u0001-\u001f]+|<\/?(?:mark|b)>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 160);
}
