import { listCalls } from '../../api/calls';
import type { Agent, ModelCall, ModelCallList } from '../../api/types';
import { day, Empty, Loading, Time, TroubleBox } from '../../parts/parts';
import { inspect } from '../../store/place';
import { useLoad } from '../shared/load';
import { count, grouped, lasted } from '../shared/words';
import { useTick } from './follow';

/** Every call of a model, newest first. */
export function AgentActivity({ w, agent }: { w: string; agent: Agent }) {
    const tick = useTick([
        'message.completed',
        'message.failed',
        'summary.created',
        'squash.completed',
        'task.finished',
    ]);
    const read = useLoad<ModelCallList>(
        `${w}/${agent.name}`,
        signal => listCalls(w, agent.name, { limit: 200 }, { signal }),
        tick,
    );
    const calls = read.value?.data ?? [];
    return (
        <section class="agent-activity" aria-label={`Calls of @${agent.name}`}>
            {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
            {read.late && <Loading label="Loading the calls" />}
            {read.value && calls.length === 0 && (
                <Empty>
                    <p>No model was asked for @{agent.name} yet.</p>
                </Empty>
            )}
            {calls.length > 0 && (
                <>
                    <p class="muted">
                        {count(read.value?.page.total ?? calls.length, 'call')}. Pick one to see what the
                        model saw.
                    </p>
                    <ol class="call-rows">
                        {calls.map(c => (
                            <CallRow key={c.id} call={c} />
                        ))}
                    </ol>
                </>
            )}
        </section>
    );
}

export function usageWords(call: ModelCall): string {
    const { inputTokens, outputTokens, estimated } = call.usage;
    if (inputTokens === null && outputTokens === null)
        return call.model?.startsWith('demo/') ? 'not measured (scripted)' : 'not measured';
    return `${grouped(inputTokens ?? 0)} in, ${grouped(outputTokens ?? 0)} out${estimated ? ' (estimated)' : ''}`;
}

export function callMark(call: ModelCall): { shape: string; good: boolean } {
    return call.state === 'answered' ? { shape: '✓', good: true } : { shape: '✕', good: false };
}

function CallRow({ call }: { call: ModelCall }) {
    const mark = callMark(call);
    return (
        <li>
            <button type="button" class="call-row" onClick={() => inspect({ callId: call.id })}>
                <span class={mark.good ? 'agent-good' : 'agent-bad'}>
                    {mark.shape} {call.state}
                </span>
                <span>{call.purpose}</span>
                <span class="muted">
                    {day(call.createdAt)} <Time at={call.createdAt} seconds />
                </span>
                <span>{lasted(call.totalMs)}</span>
                <span class="muted">{usageWords(call)}</span>
                <span class="muted call-model">{call.model}</span>
                {call.error && <span class="agent-bad call-error">{call.error}</span>}
            </button>
        </li>
    );
}
