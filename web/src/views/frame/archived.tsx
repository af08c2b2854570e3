// archived.tsx: the conversations that were archived, and the way back.

import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { Trouble } from '../../api/client';
import { listChats } from '../../api/calls';
import type { Chat } from '../../api/types';
import { Button, Dialog, Empty, Loading, Time, TroubleBox } from '../../parts/parts';
import { chatTitle } from '../../store/names';
import { href } from '../../store/place';
import { restoreArchived } from './actions';
import { closeSheets } from './layout';

const MOST = 500;

function ArchivedRow({ w, chat, onGone }: { w: string; chat: Chat; onGone: () => void }) {
    const title = chatTitle(chat);
    return (
        <li class="archived-row">
            <a href={href({ kind: 'chat', w, c: chat.id, view: 'chat' })} onClick={onGone}>
                {title}
            </a>
            <Time at={chat.lastActivityAt ?? chat.createdAt} />
            <Button
                small
                label={`Restore "${title}"`}
                onClick={() => void restoreArchived(chat).then(onGone)}
            >
                Restore
            </Button>
        </li>
    );
}

export function ArchivedList({ w, onClose }: { w: string; onClose: () => void }) {
    const chats = useSignal<Chat[] | null>(null);
    const trouble = useSignal<Trouble | null>(null);
    const load = async () => {
        const got = await listChats(w, { archived: true, limit: MOST });
        trouble.value = got.ok ? null : got.trouble;
        if (got.ok) chats.value = got.value.data;
    };
    useEffect(() => void load(), [w]);
    const leave = () => {
        closeSheets();
        onClose();
    };
    return (
        <Dialog title="Archived conversations" onClose={onClose}>
            {trouble.value && <TroubleBox trouble={trouble.value} onRetry={() => void load()} />}
            {chats.value === null && !trouble.value && <Loading label="Loading" />}
            {chats.value?.length === 0 && <Empty>Nothing is archived in this world.</Empty>}
            <ul class="archived-rows">
                {chats.value?.map(chat => (
                    <ArchivedRow key={chat.id} w={w} chat={chat} onGone={leave} />
                ))}
            </ul>
        </Dialog>
    );
}
