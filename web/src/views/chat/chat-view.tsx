// chat-view.tsx: a conversation as people know it: what was said, in order, and a box to say more.

import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import './chat.css';
import './message.css';
import './composer.css';
import { AgentName, Button, Loading } from '../../parts/parts';
import { chatName } from '../../store/names';
import { prefs } from '../../store/prefs';
import { place } from '../../store/place';
import { RecoveryBanner } from '../edit/edit';
import { restoreArchived } from '../frame/actions';
import { SelectionBar } from '../squash/squash';
import { MessageSheet } from './actions';
import { AskModel } from './ask-model';
import { ScriptedBanner } from './banners';
import { Composer } from './composer';
import { FindBar } from './find';
import { useChatKeys } from './keys';
import { painted, usePaint } from './paint';
import { PausedStrip } from './paused-strip';
import { Pill } from './pill';
import { QueueStrip } from './queue-strip';
import { Rail } from './rail';
import { useFresh, useReveal } from './reveal';
import { Rows } from './rows';
import { isTour, useTourProgress } from './tour';
import { finding } from './view-state';
import { Welcome, useTourCommands } from './welcome';

const isEmpty = () => {
    const { chat, shown } = painted.value;
    return (
        chat !== null &&
        chat.loaded &&
        // Another version may be missing, or empty: the conversation is not new for that.
        shown.version === null &&
        shown.rows.length === 0 &&
        shown.total === 0 &&
        chat.pending.length === 0 &&
        Object.keys(chat.live).length === 0 &&
        Object.keys(chat.failed).length === 0
    );
};

function Middle({ chatId, title }: { chatId: string; title: string }) {
    const loaded = useComputed(() => painted.value.chat?.loaded ?? false).value;
    const empty = useComputed(isEmpty).value;
    if (!loaded)
        return (
            <div class="chat-wait">
                <Loading label="Loading the conversation" rows={6} />
            </div>
        );
    if (empty)
        return (
            <div class="chat-wait" id="messages" tabIndex={-1}>
                <Welcome />
            </div>
        );
    return (
        <div class="chat-middle">
            <Rows key={chatId} chatId={chatId} label={`Messages of ${title}`} />
            <Rail />
            <Pill />
        </div>
    );
}

/** What stands fast below the messages; notes are told how high it is, so that they stay above it. */
function Foot({ children }: { children: ComponentChildren }) {
    const foot = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
        const page = document.documentElement.style;
        const watch = new ResizeObserver(([one]) =>
            page.setProperty('--foot-height', `${one!.target.clientHeight}px`),
        );
        watch.observe(foot.current!);
        return () => {
            watch.disconnect();
            page.removeProperty('--foot-height');
        };
    }, []);
    return (
        <div ref={foot} class="chat-foot">
            {children}
        </div>
    );
}

export function ChatView() {
    usePaint();
    useTourProgress();
    useChatKeys();
    useTourCommands(() => isTour() && !prefs.peek().tourHidden);
    const p = place.value;
    const at = p.kind === 'chat' ? p : null;
    const loaded = useComputed(() => painted.value.chat?.loaded ?? false).value;
    const readOnly = useComputed(() => painted.value.shown.readOnly).value;
    const workOf = useComputed(() =>
        painted.value.chat?.chat.mode === 'background' ? painted.value.chat.chat.agent : null,
    ).value;
    const archived = useComputed(() =>
        painted.value.chat?.chat.archived ? painted.value.chat.chat : null,
    ).value;
    const title = useComputed(() => chatName(painted.value.chat?.chat) ?? 'this conversation').value;
    useFresh(at?.c ?? '', at?.v);
    useReveal(at?.m, at?.c ?? '', at?.v, loaded);
    if (!at) return null;
    return (
        <section class="chat-view" aria-label="Chat">
            <h2 class="visually-hidden">Messages</h2>
            <ScriptedBanner />
            <RecoveryBanner />
            {finding.value ? <FindBar /> : null}
            <Middle chatId={at.c} title={title} />
            <Foot>
                <SelectionBar />
                {workOf !== null ? (
                    <p class="chat-work muted">
                        Read only: the work of <AgentName name={workOf} /> in the background.
                    </p>
                ) : null}
                {archived ? (
                    <p class="chat-work muted">
                        Archived: read only.{' '}
                        <Button small onClick={() => void restoreArchived(archived)}>
                            Restore
                        </Button>
                    </p>
                ) : null}
                {readOnly ? null : <PausedStrip w={at.w} />}
                {readOnly ? null : <QueueStrip />}
                {readOnly ? null : <Composer key={`${at.w}/${at.c}`} w={at.w} c={at.c} />}
            </Foot>
            <MessageSheet />
            <AskModel />
        </section>
    );
}
