import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Dialog, Icon, type IconName } from '../parts/parts';
import { searchWorld } from '../api/calls';
import type { Hit } from '../api/types';
import { chatName, chatTitle } from '../store/names';
import { placeOf } from '../store/hit-place';
import { go } from '../store/place';
import { prefs } from '../store/prefs';
import { state, world } from '../store/store';
import { activeCommands, type Command } from './commands';
import { keysOf, showKeys } from './keymap';
import { fits, plainSnippet } from './match';
import './keys.css';

const opened = signal<string | null>(null);
const waitMs = 180;
const most = 8;

export function openPalette(text = ''): void {
    opened.value = text;
}

export interface Entry {
    id: string;
    group: string;
    icon: IconName;
    label: string;
    hint?: string;
    keys?: string[];
    run: () => void;
}

function commandEntries(text: string, commands: Command[]): Entry[] {
    const set = { single: prefs.value.keys, changed: prefs.value.keymap };
    return commands
        .filter(one => fits(text, `${one.title} ${one.where}`))
        .map(one => ({
            id: `command-${one.id}`,
            group: 'Commands',
            icon: 'chevronRight',
            label: one.title,
            hint: one.where,
            keys: keysOf(one, set),
            run: one.run,
        }));
}

function chatEntries(text: string): Entry[] {
    const known = world.value;
    if (!known) return [];
    return Object.values(known.chats)
        .filter(chat => chat.mode !== 'background')
        .map(chat => ({ chat, label: chatTitle(chat) }))
        .filter(({ label }) => fits(text, label))
        .slice(0, most)
        .map(({ chat, label }) => ({
            id: `chat-${chat.id}`,
            group: 'Conversations',
            icon: 'chat',
            label,
            run: () => go({ kind: 'chat', w: known.world.name, c: chat.id, view: 'chat' }),
        }));
}

function agentEntries(text: string): Entry[] {
    const known = world.value;
    if (!known) return [];
    return Object.values(known.agents)
        .filter(agent => fits(text, `@${agent.name}`))
        .slice(0, most)
        .map(agent => ({
            id: `agent-${agent.name}`,
            group: 'Agents',
            icon: 'people',
            label: `@${agent.name}`,
            hint: agent.state,
            run: () => go({ kind: 'agent', w: known.world.name, a: agent.name }),
        }));
}

function worldEntries(text: string): Entry[] {
    if (!text) return [];
    return state.value.worlds
        .filter(one => one.name !== state.value.open && fits(text, one.name))
        .slice(0, most)
        .map(one => ({
            id: `world-${one.name}`,
            group: 'Worlds',
            icon: 'globe',
            label: one.name,
            run: () => go({ kind: 'world', w: one.name }),
        }));
}

function hitEntry(hit: Hit, w: string): Entry {
    return {
        id: `hit-${hit.messageId}`,
        group: 'Messages',
        icon: 'search',
        label: plainSnippet(hit.snippet ?? hit.content),
        hint: `${hit.role === 'user' ? 'You' : `@${hit.sender}`} · ${hit.title ?? chatName(world.value?.chats[hit.chatId]) ?? 'conversation'}${hit.inCurrent ? '' : ` · only in v${hit.version}`}`,
        run: () => void placeOf(w, hit).then(to => go(to)),
    };
}

function searchEntry(text: string): Entry[] {
    if (!text) return [];
    return [
        {
            id: 'search-all',
            group: 'Messages',
            icon: 'search',
            label: `Search everything for "${text}"`,
            run: () => go({ kind: 'search', q: text, w: state.value.open ?? undefined }),
        },
    ];
}

/** What fits the text: places at once, messages when the server has answered. Those stand last: what is there does not move. */
export function paletteEntries(text: string, hits: Hit[]): Entry[] {
    const wanted = text.trim();
    if (wanted.startsWith('>')) return commandEntries(wanted.slice(1).trim(), activeCommands());
    const w = state.value.open ?? '';
    const commands = wanted ? commandEntries(wanted, activeCommands()).slice(0, 5) : [];
    return [
        ...chatEntries(wanted),
        ...agentEntries(wanted),
        ...worldEntries(wanted),
        ...commands,
        ...searchEntry(wanted),
        ...hits.map(hit => hitEntry(hit, w)),
    ];
}

type Found = { w: string | null; text: string; hits: Hit[]; failed: boolean };
const nothing: Found = { w: null, text: '', hits: [], failed: false };

/** The messages with this text. Those of a text that was typed before are none of them. */
function useHits(text: string): Found {
    const found = useSignal(nothing);
    const w = state.value.open;
    const wanted = text.trim();
    useEffect(() => {
        if (!w || wanted.length < 2 || wanted.startsWith('>')) return;
        const stop = new AbortController();
        const wait = setTimeout(async () => {
            const answer = await searchWorld(w, { q: wanted, limit: most }, { signal: stop.signal });
            if (stop.signal.aborted) return;
            found.value = { w, text: wanted, hits: answer.ok ? answer.value.data : [], failed: !answer.ok };
        }, waitMs);
        return () => {
            clearTimeout(wait);
            stop.abort();
        };
    }, [wanted, w]);
    return found.value.w === w && found.value.text === wanted ? found.value : nothing;
}

function Line({ entry, active, onPick }: { entry: Entry; active: boolean; onPick: () => void }) {
    return (
        <div
            id={`palette-${entry.id}`}
            role="option"
            aria-selected={active}
            class="palette-line"
            onMouseDown={event => event.preventDefault()}
            onClick={onPick}
        >
            <Icon name={entry.icon} />
            <span class="palette-label">{entry.label}</span>
            {entry.hint && <span class="palette-hint">{entry.hint}</span>}
            {entry.keys?.[0] && <kbd>{showKeys(entry.keys[0])}</kbd>}
        </div>
    );
}

/** The entry that Enter takes. It stays marked wherever it stands, because what a person saw marked is what they mean. */
function useMark(entries: Entry[]) {
    const marked = useSignal<string | null>(null);
    const active = entries.find(entry => entry.id === marked.value) ?? entries[0];
    const id = active?.id ?? null;
    useLayoutEffect(() => {
        marked.value = id;
    });
    useLayoutEffect(() => {
        if (id) document.getElementById(`palette-${id}`)?.scrollIntoView?.({ block: 'nearest' });
    }, [id]);
    return {
        active,
        mark: (entry: Entry | undefined) => {
            marked.value = entry?.id ?? null;
        },
    };
}

function close(): void {
    opened.value = null;
}

function pick(entry: Entry | undefined): void {
    if (!entry) return;
    close();
    // The window is drawn away in a microtask and gives the focus back; what the entry opens may then take it.
    queueMicrotask(entry.run);
}

function Window({ start }: { start: string }) {
    const text = useSignal(start);
    const found = useHits(text.value);
    const entries = paletteEntries(text.value, found.hits);
    const { active, mark } = useMark(entries);
    const key = (event: KeyboardEvent) => {
        if (event.isComposing) return;
        const current = active ? entries.indexOf(active) : 0;
        const last = Math.max(0, entries.length - 1);
        const to: Record<string, number> = {
            ArrowDown: current >= last ? 0 : current + 1,
            ArrowUp: current <= 0 ? last : current - 1,
            PageDown: Math.min(last, current + 8),
            PageUp: Math.max(0, current - 8),
        };
        const next = to[event.key];
        if (next !== undefined) mark(entries[next]);
        else if (event.key === 'Enter') pick(active);
        else return;
        event.preventDefault();
    };
    const groups = [...new Set(entries.map(entry => entry.group))];
    return (
        <Dialog title="Search and jump" onClose={close} bare class="palette">
            <div class="palette-top">
                <Icon name="search" />
                <input
                    class="palette-input"
                    type="text"
                    role="combobox"
                    data-autofocus=""
                    value={text.value}
                    maxLength={400}
                    aria-label="Search or jump to"
                    placeholder="Search or jump to…   > for commands"
                    autocomplete="off"
                    spellcheck={false}
                    aria-expanded="true"
                    aria-controls="palette-list"
                    aria-autocomplete="list"
                    aria-activedescendant={active ? `palette-${active.id}` : undefined}
                    onInput={event => {
                        text.value = event.currentTarget.value;
                        mark(undefined);
                    }}
                    onKeyDown={key}
                />
                <button type="button" class="palette-close" onClick={close}>
                    Esc<span class="visually-hidden">: close</span>
                </button>
            </div>
            <div id="palette-list" role="listbox" aria-label="Results" class="palette-list" tabIndex={-1}>
                {groups.map(group => (
                    <div key={group} role="group" aria-label={group} class="palette-group">
                        <div class="palette-head" aria-hidden="true">
                            {group}
                        </div>
                        {entries
                            .filter(entry => entry.group === group)
                            .map(entry => (
                                <Line
                                    key={entry.id}
                                    entry={entry}
                                    active={entry === active}
                                    onPick={() => pick(entry)}
                                />
                            ))}
                    </div>
                ))}
            </div>
            {entries.length === 0 && <p class="palette-none">No matches.</p>}
            {found.failed && <p class="palette-none">The search failed: the server does not answer.</p>}
            <p class="visually-hidden" role="status">
                {entries.length} results
            </p>
        </Dialog>
    );
}

export function Palette() {
    return opened.value === null ? null : <Window start={opened.value} />;
}
