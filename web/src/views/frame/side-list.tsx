import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import {
    AgentName,
    Button,
    Count,
    Dialog,
    Field,
    Icon,
    IconButton,
    Menu,
    StateMark,
    TroubleBox,
    type IconName,
} from '../../parts/parts';
import type { Trouble } from '../../api/client';
import type { Agent, Chat } from '../../api/types';
import { chatTitle } from '../../store/names';
import { href, place, type Place } from '../../store/place';
import { prefs } from '../../store/prefs';
import type { WorldState } from '../../store/state';
import { state, world } from '../../store/store';
import { EditErrorsEntry } from '../edit/edit';
import { ArchivedList } from './archived';
import { archiveChat, newChat, renameChat } from './actions';
import { inboxBadge } from './inbox-badge';
import { closeSheets, showPanel, width } from './layout';
import { unreadOf } from './seen';
import { agentMark, chatMark, listedChats } from './states';
import { WorldMenu } from './world-menu';

interface RowProps {
    to: Place;
    here: boolean;
    children: ComponentChildren;
    menu?: ComponentChildren;
    title?: string;
}

function Row({ to, here, children, menu, title }: RowProps) {
    return (
        <li class={`list-row${here ? ' list-here' : ''}`}>
            <a
                href={href(to)}
                class="list-link"
                aria-current={here ? 'page' : undefined}
                title={title}
                onClick={closeSheets}
            >
                {children}
            </a>
            {menu}
        </li>
    );
}

function Rename({ chat, onClose }: { chat: Chat; onClose: () => void }) {
    const title = useSignal(chat.title ?? '');
    const trouble = useSignal<Trouble | null>(null);
    const save = async () => {
        const done = await renameChat(chat, title.value);
        if (done.ok) onClose();
        else trouble.value = done.trouble;
    };
    const actions = (
        <>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="main" onClick={save}>
                Rename
            </Button>
        </>
    );
    return (
        <Dialog title={`Rename "${chatTitle(chat)}"`} onClose={onClose} actions={actions}>
            <Field
                label="Name of the conversation"
                value={title.value}
                maxLength={200}
                autoFocus
                onEnter={save}
                hint="Empty: the first message becomes the name."
                onInput={value => {
                    title.value = value;
                }}
            />
            {trouble.value && <TroubleBox trouble={trouble.value} safe="The old name is kept." />}
        </Dialog>
    );
}

function ChatRow({ chat }: { chat: Chat }) {
    const renaming = useSignal(false);
    const known = world.value;
    const here = place.value;
    if (!known) return null;
    const unread = unreadOf(chat);
    const mark = chatMark(state.value, known, chat, unread);
    const title = chatTitle(chat);
    const shown = here.kind === 'chat' && here.c === chat.id;
    const menu = (
        <Menu
            label={`More for "${title}"`}
            class="list-menu"
            items={[
                {
                    label: 'Rename…',
                    run: () => {
                        renaming.value = true;
                    },
                },
                { label: 'Archive', run: () => void archiveChat(chat), danger: true },
            ]}
        />
    );
    return (
        <>
            <Row
                to={{ kind: 'chat', w: known.world.name, c: chat.id, view: 'chat' }}
                here={shown}
                menu={menu}
                title={title}
            >
                <StateMark
                    state={mark}
                    shapeOnly={mark === 'idle' || mark === 'done' || mark === 'working'}
                />
                <span class="list-title">{title}</span>
                <Count value={shown ? 0 : unread} label="unread" />
            </Row>
            {renaming.value && (
                <Rename
                    chat={chat}
                    onClose={() => {
                        renaming.value = false;
                    }}
                />
            )}
        </>
    );
}

function AgentRow({ agent }: { agent: Agent }) {
    const known = world.value;
    const here = place.value;
    if (!known) return null;
    const { mark, detail } = agentMark(state.value, known, agent);
    return (
        <Row
            to={{ kind: 'agent', w: known.world.name, a: agent.name }}
            here={here.kind === 'agent' && here.a === agent.name}
        >
            <StateMark state={mark} detail={detail} />
            <span class="list-title">
                <AgentName name={agent.name} />
            </span>
        </Row>
    );
}

function Section({
    title,
    action,
    children,
}: {
    title: string;
    action?: ComponentChildren;
    children: ComponentChildren;
}) {
    return (
        <section class="list-section" aria-label={title}>
            <div class="list-head">
                <h2>{title}</h2>
                {action}
            </div>
            <ul class="list-rows">{children}</ul>
        </section>
    );
}

function ViewRow({ to, here, icon, children }: RowProps & { icon: IconName }) {
    return (
        <Row to={to} here={here}>
            <Icon name={icon} />
            {children}
        </Row>
    );
}

function Views() {
    const here = place.value.kind;
    const { inbox, open } = state.value;
    const badge = inboxBadge(inbox);
    return (
        <Section title="Views">
            <ViewRow to={{ kind: 'inbox' }} here={here === 'inbox'} icon="inbox">
                <span class="list-title">Inbox</span>
                <Count value={badge.value} label={badge.what} alert={badge.what === 'need you'} />
            </ViewRow>
            {open && (
                <ViewRow to={{ kind: 'agents', w: open }} here={here === 'agents'} icon="people">
                    <span class="list-title">Agents</span>
                </ViewRow>
            )}
            <ViewRow
                to={{ kind: 'search', q: '', w: open ?? undefined }}
                here={here === 'search'}
                icon="search"
            >
                <span class="list-title">Search</span>
            </ViewRow>
            <ViewRow to={{ kind: 'settings', tab: 'models' }} here={here === 'settings'} icon="settings">
                <span class="list-title">Settings</span>
            </ViewRow>
        </Section>
    );
}

function WorldParts({ known }: { known: WorldState }) {
    const archived = useSignal(false);
    const chats = listedChats(known);
    const agents = Object.values(known.agents).sort((one, other) =>
        one.createdAt.localeCompare(other.createdAt),
    );
    const plus = !state.value.readOnly && (
        <IconButton
            icon="plus"
            label="New conversation"
            onClick={() => {
                closeSheets();
                void newChat();
            }}
        />
    );
    return (
        <>
            <Section title="Conversations" action={plus}>
                {chats.map(chat => (
                    <ChatRow key={chat.id} chat={chat} />
                ))}
                {chats.length === 0 && <li class="list-none">None yet</li>}
                <li class="list-row">
                    <button
                        type="button"
                        class="list-link"
                        aria-haspopup="dialog"
                        onClick={() => {
                            archived.value = true;
                        }}
                    >
                        <span class="list-title">Archived…</span>
                    </button>
                </li>
                <EditErrorsEntry known={known} onLeave={closeSheets} />
            </Section>
            {archived.value && (
                <ArchivedList
                    w={known.world.name}
                    onClose={() => {
                        archived.value = false;
                    }}
                />
            )}
            <Section title="Agents">
                {agents.map(agent => (
                    <AgentRow key={agent.id} agent={agent} />
                ))}
                {agents.length === 0 && <li class="list-none">No agents yet</li>}
            </Section>
        </>
    );
}

/** The column beside the chat, for those who have no room for it and no key. */
function PanelButton() {
    const here = place.value;
    if (here.kind !== 'chat' || here.view !== 'chat') return null;
    const tour = here.w === 'tour' && !prefs.value.tourHidden;
    return (
        <Button small onClick={showPanel}>
            {tour ? 'Tour and details' : 'Details of the message'}
        </Button>
    );
}

export function SideList() {
    return (
        <>
            {width.value === 'narrow' && (
                <div class="list-world">
                    <WorldMenu />
                    <PanelButton />
                </div>
            )}
            {world.value && <WorldParts known={world.value} />}
            <Views />
        </>
    );
}
