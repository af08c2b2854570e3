// page-hint.ts: what the server advises, as far as it can be done in the page: commands of a terminal are left out, the
// page has buttons for them.

const COMMAND = /\bskein [a-z]|`|\bsystemctl\b/;

export function pageHint(hint: string | null | undefined): string {
    return (hint ?? '')
        .split(/(?<=[.!?])\s+/)
        .filter(sentence => !COMMAND.test(sentence))
        .join(' ');
}
