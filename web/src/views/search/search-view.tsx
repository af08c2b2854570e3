// Search: words and conditions over all versions, answered while they are typed.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Hit } from '../../api/types';
import { useCommands, type Command } from '../../keys/commands';
import {
    announce,
    Banner,
    Button,
    Dialog,
    Empty,
    Field,
    Loading,
    Sheet,
    TroubleBox,
} from '../../parts/parts';
import { go, href, place } from '../../store/place';
import { state, world as openWorld } from '../../store/store';
import { copyText } from '../shared/copy';
import { count, grouped } from '../shared/words';
import { Filters, WordsHelp } from './filters';
import { byConversation, kindOf, USUAL, type Kind } from './kinds';
import { placeOf } from '../../store/hit-place';
import { Preview } from './preview';
import { filters, terms, without } from './query';
import { Results } from './results';
import { save } from './saved';
import { searchHere, unchecked, useSearch, type Archived, type Found } from './search-data';
import './search.css';

const TEXT_MOST = 1000;

export function SearchView() {
    const here = place.value;
    const q = here.kind === 'search' ? here.q : '';
    const scoped = here.kind === 'search' ? (here.w ?? null) : null;
    const open = state.value.open;
    const [current, setCurrent] = useState(false);
    const [archived, setArchived] = useState<Archived>('with');
    const [kinds, setKinds] = useState<ReadonlySet<Kind>>(new Set(USUAL));
    const [picked, setPicked] = useState<Hit | null>(null);
    const [sheet, setSheet] = useState(false);
    const [saving, setSaving] = useState(false);
    const input = useRef<HTMLInputElement>(null);
    const found = useSearch({ q, world: scoped, current, archived });
    const offline = found.trouble?.status === 0;
    const all = offline ? searchHere(openWorld.value, q) : found.hits;
    const hits = all.filter(h => kinds.has(kindOf(h)));
    const chats = state.value.worlds.flatMap(w => w.chats);
    const groups = byConversation(hits, scoped, chats);
    const order = groups.flatMap(g => g.hits);
    const shown = picked && order.some(h => h.messageId === picked.messageId) ? picked : (order[0] ?? null);
    const home = groups.find(g => shown && g.hits.includes(shown));

    const to = (text: string, w: string | null = scoped): void =>
        go({ kind: 'search', q: text, ...(w ? { w } : {}) }, { replace: true });
    const openHit = (hit: Hit): void => {
        const w = hit.world ?? scoped ?? open;
        if (w) void placeOf(w, hit).then(p => go(p));
    };
    // A search that begins inside a world looks there first. At once: what is typed meanwhile must not be lost.
    useLayoutEffect(() => {
        if (q === '' && scoped === null && open) to('', open);
        input.current?.focus();
    }, []);
    useEffect(() => {
        if (found.q !== '' && !found.busy) announce(count(hits.length, 'result'));
    }, [found.q, found.busy]);
    useCommands(searchCommands(order, shown, setPicked, () => input.current?.focus()));

    const panel = (
        <Filters
            q={q}
            open={open}
            scope={scoped ? 'world' : 'all'}
            current={current}
            archived={archived}
            kinds={kinds}
            onQuery={text => to(text)}
            onScope={s => to(q, s === 'world' ? open : null)}
            onCurrent={setCurrent}
            onArchived={setArchived}
            onKind={k => setKinds(was => new Set(was.has(k) ? [...was].filter(x => x !== k) : [...was, k]))}
            onSaved={s => {
                to(s.q, s.world);
                setSheet(false);
            }}
        />
    );
    return (
        <div class="search">
            <div class="search-columns">
                <div class="search-side">{panel}</div>
                <section class="search-main" aria-labelledby="search-title">
                    <h1 id="search-title" class="visually-hidden">
                        Search
                    </h1>
                    <Field
                        label="Search"
                        hideLabel
                        type="search"
                        value={q}
                        onInput={text => to(text)}
                        maxLength={TEXT_MOST}
                        inputRef={input}
                        placeholder='Words, "a phrase", from:ada, is:unreplied…'
                        error={fieldError(found)}
                        onEnter={() => document.getElementById(`hit-${order[0]?.messageId}`)?.focus()}
                    />
                    <Chips q={q} onQuery={to} />
                    <div class="search-line">
                        <p class="muted" role="status">
                            {offline
                                ? `${count(hits.length, 'result')} here`
                                : statusOf(found, hits.length, all.length)}
                        </p>
                        <span class="search-actions">
                            <span class="search-sheet">
                                <Button small onClick={() => setSheet(true)}>
                                    Filters
                                </Button>
                            </span>
                            {q.trim() !== '' && (
                                <Button small onClick={() => setSaving(true)}>
                                    Save
                                </Button>
                            )}
                            {q.trim() !== '' && (
                                <Button
                                    small
                                    onClick={() =>
                                        void copyText(location.origin + href(place.value), 'The link')
                                    }
                                >
                                    Link
                                </Button>
                            )}
                        </span>
                    </div>
                    {offline && <Here q={q} />}
                    {found.trouble && !offline && !fieldError(found) && (
                        <TroubleBox trouble={found.trouble} onRetry={found.again} />
                    )}
                    {found.busy && found.hits.length === 0 && <Loading label="Searching" />}
                    <Results
                        groups={groups}
                        terms={terms(q)}
                        picked={shown?.messageId ?? null}
                        onPick={setPicked}
                        onOpen={openHit}
                    />
                    {found.next && (
                        <p class="search-more">
                            <Button onClick={found.more} busy={found.busy}>
                                Show more
                            </Button>
                        </p>
                    )}
                    {offline && hits.length === 0 && (
                        <Empty>
                            <p>No match on this device.</p>
                        </Empty>
                    )}
                    <Nothing
                        q={q}
                        found={found}
                        hits={hits.length}
                        hidden={all.length - hits.length}
                        scoped={scoped}
                        onQuery={to}
                    />
                    <WordsHelp />
                </section>
                <div class="search-pane">
                    {shown && home && home.world && (
                        <Preview world={home.world} hit={shown} title={home.title} terms={terms(q)} />
                    )}
                </div>
            </div>
            {sheet && (
                <Sheet title="Filters" onClose={() => setSheet(false)}>
                    {panel}
                </Sheet>
            )}
            {saving && <SaveDialog q={q} world={scoped} onClose={() => setSaving(false)} />}
        </div>
    );
}

/** What is wrong with the words stands below them. */
function fieldError(found: Found): string | null {
    return found.trouble?.errors?.find(e => e.pointer === '/q')?.detail ?? null;
}

function statusOf(found: Found, shown: number, all: number): string {
    if (found.q === '') return 'Results appear while you type, newest first.';
    if (found.trouble) return '';
    const more = found.next ? 'at least ' : '';
    const hidden = all > shown ? `, ${all - shown} hidden by kind` : '';
    return `${more}${count(shown, 'result')} in ${(found.ms / 1000).toFixed(2)} s, newest first${hidden}`;
}

/** Without the server: where it is searched, and what is not looked at. */
function Here({ q }: { q: string }) {
    const known = openWorld.value;
    const left = unchecked(q);
    const rows = Object.values(known?.chat ?? {}).reduce((n, c) => n + c.rows.length, 0);
    return (
        <Banner kind="warn">
            Offline: searching what is on this device
            {known
                ? `: ${count(rows, 'message')} of ${known.world.name} that ${rows === 1 ? 'is' : 'are'} loaded`
                : ''}
            .{left.length > 0 && ` Not looked at: ${left.join(', ')}.`}
        </Banner>
    );
}

function Chips({ q, onQuery }: { q: string; onQuery: (q: string) => void }) {
    const list = filters(q);
    if (list.length === 0) return null;
    return (
        <ul class="search-chips" aria-label="Filters in use">
            {list.map(f => (
                <li key={f}>
                    <button
                        type="button"
                        class="search-chip"
                        aria-label={`Remove the filter ${f}`}
                        onClick={() => onQuery(without(q, f))}
                    >
                        {f} ✕
                    </button>
                </li>
            ))}
        </ul>
    );
}

interface NothingProps {
    q: string;
    found: Found;
    hits: number;
    hidden: number;
    scoped: string | null;
    onQuery: (q: string) => void;
}

function Nothing({ q, found, hits, hidden, scoped, onQuery }: NothingProps) {
    if (q.trim() === '' || found.busy || found.trouble || hits > 0 || found.q !== q) return null;
    const worlds = state.value.worlds.filter(w => !scoped || w.name === scoped);
    const messages = worlds.flatMap(w => w.chats).reduce((n, c) => n + c.messageCount, 0);
    const used = filters(q);
    return (
        <Empty>
            <p>
                No match in {grouped(messages)} messages and their older versions. Try fewer words
                {used.length > 0 ? '; filters in use:' : '.'}
            </p>
            {used.length > 0 && <Chips q={q} onQuery={onQuery} />}
            {hidden > 0 && <p>{count(hidden, 'hit')} of kinds that are not shown.</p>}
        </Empty>
    );
}

function SaveDialog({ q, world, onClose }: { q: string; world: string | null; onClose: () => void }) {
    const [name, setName] = useState(q.slice(0, 60));
    const keepIt = (): void => {
        if (name.trim() === '') return;
        save({ name: name.trim(), q, world });
        onClose();
    };
    return (
        <Dialog
            title="Save this search"
            onClose={onClose}
            actions={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button kind="main" disabled={name.trim() === ''} onClick={keepIt}>
                        Save
                    </Button>
                </>
            }
        >
            <Field
                label="Name"
                value={name}
                onInput={setName}
                maxLength={80}
                autoFocus
                onEnter={keepIt}
                hint="It is saved in this browser."
            />
        </Dialog>
    );
}

function searchCommands(
    order: Hit[],
    shown: Hit | null,
    pick: (h: Hit) => void,
    toInput: () => void,
): Command[] {
    const where = 'Search';
    const step = (by: number): void => {
        const at = order.findIndex(h => h.messageId === shown?.messageId);
        const next = order[Math.min(Math.max(at + by, 0), order.length - 1)];
        if (!next) return;
        pick(next);
        document.getElementById(`hit-${next.messageId}`)?.focus();
    };
    return [
        {
            id: 'search.next',
            title: 'Next result',
            keys: ['j', 'ArrowDown'],
            where,
            needs: () => order.length > 0,
            run: () => step(1),
        },
        {
            id: 'search.previous',
            title: 'Previous result',
            keys: ['k', 'ArrowUp'],
            where,
            needs: () => order.length > 0,
            run: () => step(-1),
        },
        { id: 'search.words', title: 'To the search box', keys: ['/'], where, run: toInput },
    ];
}
