// permission.tsx: a call of a tool that waits for the person's word, answered in the row of the message that makes it.

import type { InboxItem, Message, ToolCall } from '../../api/types';
import { Button, TroubleBox } from '../../parts/parts';
import { state } from '../../store/store';
import { useDecision } from '../inbox/decide';
import { AwayNote, isAway } from '../shared/away';

/** What the person is asked about a call and has not answered. Ids of calls may come again in another message. */
export function askedAbout(message: Message, call: ToolCall): InboxItem | undefined {
    return Object.values(state.value.inbox.items).find(
        item =>
            item.type === 'approval' &&
            item.open &&
            item.workMessageId === message.messageId &&
            item.toolCallId === call.toolCallId,
    );
}

/** That it was answered is announced by the event, in every window. */
export function Permission({ item }: { item: InboxItem }) {
    const { busy, trouble, decide } = useDecision(item.id);
    const off = busy || isAway() || state.value.readOnly;
    const what = `@${item.agent ?? 'agent'} to use ${item.tool ?? 'the tool'}`;
    return (
        <div class="chat-permission" role="group" aria-label={`Permission for ${what}`}>
            <Button small kind="main" off={off} label={`Allow ${what}`} onClick={() => void decide('allow')}>
                Allow
            </Button>
            <Button small off={off} label={`Deny ${what}`} onClick={() => void decide('deny')}>
                Deny
            </Button>
            <AwayNote />
            {state.value.readOnly ? <span class="muted">This server is read only.</span> : null}
            {trouble ? <TroubleBox trouble={trouble} safe="Nothing was decided." /> : null}
        </div>
    );
}
