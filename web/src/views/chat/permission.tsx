// permission.tsx: a call of a tool that waits for the person's decision, answered in the row of the message that makes it.

import type { InboxItem, Message, ToolCall } from '../../api/types';
import { CodeBlock } from '../../parts/code';
import { Button, TroubleBox } from '../../parts/parts';
import { state } from '../../store/store';
import { useDecision } from '../inbox/decide';
import { spelledOut } from '../../parts/markdown/plain';
import { ArgLines, isCut } from '../shared/args';
import { AwayNote, isAway } from '../shared/away';
import { Definition, useDefined } from '../shared/definition';
import { Fold } from './fold';
import { pretty } from './words';

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

/** What would be run, before it is allowed: nobody has to unfold anything to see it, unless it is long. */
function Wanted({ call }: { call: ToolCall }) {
    return (
        <>
            <ArgLines args={call.args} />
            {isCut(call.args) ? (
                <Fold
                    class="chat-permission-all"
                    title="Show all of it"
                    label={`All arguments of ${call.toolName}`}
                >
                    {() => <CodeBlock lang="json" text={spelledOut(pretty(call.args))} />}
                </Fold>
            ) : null}
        </>
    );
}

/** That it was answered is announced by the event, in every window. */
export function Permission({ item, call }: { item: InboxItem; call: ToolCall }) {
    const { busy, trouble, decide } = useDecision(item.id);
    const defined = useDefined(item);
    const off = busy || isAway() || state.value.readOnly;
    const what = `@${item.agent ?? 'agent'} to use ${item.tool ?? 'the tool'}`;
    return (
        <div class="chat-permission" role="group" aria-label={`Permission for ${what}`}>
            <Wanted call={call} />
            <Definition item={item} defined={defined} />
            <Button
                small
                kind="main"
                off={off || defined.lacking}
                label={`Allow ${what}`}
                onClick={() => void decide('allow')}
            >
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
