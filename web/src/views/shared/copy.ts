import { toast } from '../../parts/parts';

/** Onto the clipboard; where the browser refuses, it says so. */
export async function copyText(text: string, what: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: `${what} was copied.` });
    } catch {
        toast({ text: `The browser did not allow copying ${what.toLowerCase()}.`, kind: 'warn' });
    }
}
