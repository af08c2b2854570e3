import { Button, clock, day } from '../../parts/parts';
import { count } from '../shared/words';
import { data, picked, readOlder } from './data';
import { noteText, operationText, SHAPES, standing, wayToNow, type Version } from './model';

export function when(at: string): string {
    const today = new Date().toDateString() === new Date(at).toDateString();
    return today ? clock(at) : `${day(at)}, ${clock(at)}`;
}

export function Standing({ v, way }: { v: Version; way: ReadonlySet<string> }) {
    const s = SHAPES[standing(v, way)];
    return (
        <>
            <span class="history-shape" aria-hidden="true">
                {s.shape}
            </span>
            <span class="visually-hidden">{s.word}, </span>
        </>
    );
}

export function fits(v: Version, words: string): boolean {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return true;
    const cut = data.value.cuts.get(v.threadId);
    return [v.version, operationText(v, cut), noteText(v, cut), v.by].some(text =>
        text.toLowerCase().includes(wanted),
    );
}

/** The version that is looked at closely: the one that was picked, else the current one. */
export function pickedVersion(): Version | undefined {
    const { versions } = data.value;
    return versions.find(v => v.threadId === picked.value) ?? versions.find(v => v.current) ?? versions[0];
}

function Entry({ v, way }: { v: Version; way: ReadonlySet<string> }) {
    const here = pickedVersion()?.threadId === v.threadId;
    const cut = data.value.cuts.get(v.threadId);
    const note = noteText(v, cut);
    const from = v.operation === 'fork' && v.originalVersion ? ` from ${v.originalVersion}` : '';
    return (
        <li>
            <button
                type="button"
                class="history-entry"
                aria-current={here ? 'true' : undefined}
                data-version={v.version}
                onClick={() => {
                    picked.value = v.threadId;
                }}
            >
                <Standing v={v} way={way} />
                <span class="history-name">{v.version}</span>
                <span class="history-op">
                    {operationText(v, cut)}
                    {from}
                </span>
                <span class="history-when">
                    {when(v.createdAt)}
                    {v.current && <b> now</b>}
                </span>
                <span class="history-sub">
                    {note && `“${note}” · `}
                    {count(v.length, 'message')}
                    {v.by !== 'human' && ` · by @${v.by}`}
                </span>
            </button>
        </li>
    );
}

/** The same as the picture, for screen readers, telephones, and everybody who likes lists. */
export function VersionList({ words = '' }: { words?: string }) {
    const { versions, cursor } = data.value;
    const way = wayToNow(versions);
    const shown = versions.filter(v => fits(v, words));
    return (
        <>
            <ul class="history-list" aria-label="Versions, newest first">
                {shown.map(v => (
                    <Entry key={v.threadId} v={v} way={way} />
                ))}
            </ul>
            {shown.length === 0 && <p class="history-note">No version fits “{words}”.</p>}
            {cursor !== null && (
                <Button small onClick={() => void readOlder()}>
                    Older versions
                </Button>
            )}
        </>
    );
}
