// The inspector: how a message came to be. It lies over the main column and the panel, and on a phone over everything.

import { useState } from 'preact/hooks';
import { useModal } from '../../parts/dialog';
import {
    AgentName,
    Badge,
    Button,
    IconButton,
    Loading,
    TabPages,
    toast,
    TroubleBox,
} from '../../parts/parts';
import { go, inspect, inspecting, place, stopInspecting, type Inspecting } from '../../store/place';
import { state } from '../../store/store';
import { callMark, usageWords } from '../agents/agent-activity';
import { copyText } from '../shared/copy';
import { useLoad } from '../shared/load';
import { count, lasted } from '../shared/words';
import { Answer, Raw, Timing, ToolsPart } from './answer';
import { asCurl } from './curl';
import { look, type Looked } from './data';
import { DeliveryPart, Origin } from './origin';
import { Saw, type PartProps } from './saw';
import './inspector.css';

const TABS = [
    { id: 'saw', label: 'What the model saw' },
    { id: 'answer', label: 'Answer' },
    { id: 'tools', label: 'Tools' },
    { id: 'timing', label: 'Timing' },
    { id: 'delivery', label: 'Delivery' },
    { id: 'origin', label: 'Origin' },
    { id: 'raw', label: 'Raw' },
];

export function Inspector() {
    const what = inspecting.value;
    const w = state.value.open;
    if (!what || !w) return null;
    return <InspectorOf w={w} what={what} />;
}

function InspectorOf({ w, what }: { w: string; what: Inspecting }) {
    const dialog = useModal(stopInspecting);
    const [picked, setPicked] = useState<string | null>(null);
    const [find, setFind] = useState('');
    const here = place.value;
    const chatId = here.kind === 'chat' ? here.c : null;
    const key = `${w}/${what.callId ?? ''}/${what.messageId ?? ''}/${what.agent ?? ''}`;
    const read = useLoad<Looked>(key, signal => look(w, what, chatId, signal));
    const looked = read.value;
    // What a person wrote was seen by no model before: who has it is the first question then.
    const usual = looked?.message?.role === 'user' ? 'delivery' : 'saw';
    const tab = picked ?? usual;
    return (
        <dialog ref={dialog} class="inspector" aria-labelledby="inspector-title">
            <Head w={w} what={what} looked={looked} />
            <TabPages
                id="inspector-part"
                class="inspector-part"
                label="What to inspect"
                tabs={TABS}
                active={tab}
                onPick={setPicked}
                beside={{ bar: 'inspector-bar', content: <Find words={find} onInput={setFind} /> }}
                scrolls
            >
                {read.trouble && <Trouble trouble={read.trouble} onRetry={read.reload} />}
                {read.late && <Loading label="Loading the call" />}
                {looked && <Part tab={tab} w={w} looked={looked} find={find} />}
            </TabPages>
            {looked && <Steps looked={looked} />}
        </dialog>
    );
}

function Find({ words, onInput }: { words: string; onInput: (words: string) => void }) {
    return (
        <label class="inspector-find">
            <span class="visually-hidden">Find inside</span>
            <input
                class="input"
                type="search"
                placeholder="Find"
                value={words}
                onInput={e => onInput(e.currentTarget.value)}
            />
        </label>
    );
}

function Trouble({ trouble, onRetry }: { trouble: import('../../api/client').Trouble; onRetry: () => void }) {
    if (trouble.type === '/problems/call-not-found')
        return (
            <p class="empty">Nothing is recorded for this call: it is too old, or was imported or erased.</p>
        );
    return <TroubleBox trouble={trouble} onRetry={onRetry} />;
}

function Part({ tab, ...props }: PartProps & { tab: string }) {
    switch (tab) {
        case 'answer':
            return <Answer {...props} />;
        case 'tools':
            return <ToolsPart {...props} />;
        case 'timing':
            return <Timing {...props} />;
        case 'delivery':
            return <DeliveryPart {...props} />;
        case 'origin':
            return <Origin {...props} />;
        case 'raw':
            return <Raw {...props} />;
        default:
            return <Saw {...props} />;
    }
}

function Head({ w, what, looked }: { w: string; what: Inspecting; looked: Looked | null }) {
    const call = looked?.call ?? null;
    const agent = call?.agent ?? what.agent ?? looked?.message?.sender ?? null;
    const at = looked && call ? looked.calls.findIndex(c => c.id === call.id) : -1;
    const mark = call && callMark(call);
    const curl =
        call && looked?.provider ? asCurl(looked.provider.type, looked.provider.baseUrl, call.request) : null;
    return (
        <header class="inspector-head">
            <IconButton label="Close the inspector" icon="back" onClick={stopInspecting} />
            <h2 id="inspector-title">
                {agent === 'human' ? 'Your message' : agent ? <AgentName name={agent} /> : 'Call'}
                {at >= 0 && (
                    <>
                        {' '}
                        · call {at + 1} of {looked?.calls.length}
                    </>
                )}
                {!call && what.agent && !what.messageId && <> · context now</>}
            </h2>
            {call && mark && (
                <p class="inspector-line">
                    <span class={mark.good ? 'agent-good' : 'agent-bad'}>
                        {mark.shape} {mark.good ? lasted(call.totalMs) : call.state}
                    </span>
                    <span>{usageWords(call)}</span>
                    <span>{call.model}</span>
                    {call.model?.startsWith('demo/') && <Badge>scripted</Badge>}
                    {call.model?.startsWith('replay:') && <Badge>replayed</Badge>}
                    {call.tries > 1 && <span>{count(call.tries, 'try', 'tries')}</span>}
                </p>
            )}
            <span class="inspector-acts">
                {call &&
                    (curl ? (
                        <Button
                            small
                            onClick={() => void copyText(curl, 'The command')}
                            title="Without keys: only the name of the variable"
                        >
                            Copy as curl
                        </Button>
                    ) : (
                        <Button
                            small
                            kind="quiet"
                            onClick={() =>
                                toast({
                                    text: 'Nothing was sent: this model is a script on this computer.',
                                })
                            }
                        >
                            Copy as curl
                        </Button>
                    ))}
                {agent && agent !== 'human' && (
                    <Button
                        small
                        kind="quiet"
                        onClick={() => go({ kind: 'agent', w, a: agent, tab: 'activity' })}
                    >
                        Open log
                    </Button>
                )}
                <IconButton label="Close the inspector" icon="close" onClick={stopInspecting} />
            </span>
        </header>
    );
}

/** To the calls before and after. */
function Steps({ looked }: { looked: Looked }) {
    const { calls, call } = looked;
    const at = call ? calls.findIndex(c => c.id === call.id) : calls.length;
    const before = calls[at - 1];
    const after = at >= 0 ? calls[at + 1] : undefined;
    if (!before && !after) return null;
    const show = (id: string): void => inspect({ callId: id });
    return (
        <footer class="inspector-foot">
            {before ? (
                <Button small onClick={() => show(before.id)}>
                    ‹ call {at}
                </Button>
            ) : (
                <span />
            )}
            {after ? (
                <Button small onClick={() => show(after.id)}>
                    call {at + 2} ›
                </Button>
            ) : (
                <span />
            )}
        </footer>
    );
}
