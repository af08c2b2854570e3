export interface TimeProps {
    at: string | number | null;
    seconds?: boolean;
}

// Made once: making one costs more than a whole row of the log.
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

const two = (value: number) => String(value).padStart(2, '0');

/** 14:02, or 14:02:10. */
export function clock(at: string | number | Date, seconds = false): string {
    const when = new Date(at);
    if (Number.isNaN(when.getTime())) return '';
    return `${two(when.getHours())}:${two(when.getMinutes())}${seconds ? `:${two(when.getSeconds())}` : ''}`;
}

/** The day for people: today is left out by who asks, other days are "14 Nov", other years "14 Nov 2025". */
export function day(at: string | number | Date, now: Date = new Date()): string {
    const when = new Date(at);
    const year = when.getFullYear() === now.getFullYear() ? undefined : 'numeric';
    return (year ? DAY_OF_YEAR : DAY).format(when);
}

/** "now", "3 min", "2 h", "5 d". */
export function ago(at: string | number | Date, now: number = Date.now()): string {
    const seconds = Math.max(0, (now - new Date(at).getTime()) / 1000);
    if (seconds < 45) return 'now';
    if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min`;
    if (seconds < 84600) return `${Math.round(seconds / 3600)} h`;
    return `${Math.round(seconds / 86400)} d`;
}

/** "0.4 s", "12 s", "2 min", "1 h 5 min", "3 d 4 h". */
export function duration(ms: number): string {
    if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
    if (ms < 119500) return `${Math.round(ms / 1000)} s`;
    const minutes = Math.round(ms / 60000);
    if (minutes < 60) return `${minutes} min`;
    if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
    const hours = Math.round(minutes / 60);
    return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function Time({ at, seconds }: TimeProps) {
    if (at === null) return null;
    const when = new Date(at);
    if (Number.isNaN(when.getTime())) return null;
    const full = FULL.format(when);
    return (
        <time class="time" dateTime={when.toISOString()} title={full}>
            {clock(when, seconds)}
        </time>
    );
}
