import { useState } from 'preact/hooks';
import { cancelTask, createTask, listExpected, listTasks, retryTask } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Agent, ExpectedList, Task, TaskList } from '../../api/types';
import { Badge, Button, day, Empty, Loading, TextArea, Time, toast, TroubleBox } from '../../parts/parts';
import { state } from '../../store/store';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { count } from '../shared/words';
import { waitingWord } from '../timeline/background';
import { fieldError } from './agent-form';
import { useTick } from './follow';

const WHEN = ['task.queued', 'task.started', 'task.waiting', 'task.finished'] as const;

/** What it is to do in the background, and the answers that it waits for or owes. */
export function AgentTasks({ w, agent }: { w: string; agent: Agent }) {
    const tick = useTick(WHEN);
    const tasks = useLoad<TaskList>(
        `${w}/${agent.name}`,
        signal => listTasks(w, agent.name, { limit: 200 }, { signal }),
        tick,
    );
    const expected = useLoad<ExpectedList>(
        `${w}/${agent.name}`,
        signal => listExpected(w, agent.name, { limit: 100 }, { signal }),
        tick,
    );
    const open = (expected.value?.data ?? []).filter(e => e.state === 'open');
    return (
        <section class="agent-tasks" aria-label={`Tasks of @${agent.name}`}>
            <NewTask w={w} agent={agent} onMade={tasks.reload} />
            {open.length > 0 && (
                <ul class="agent-expected" aria-label="Answers that somebody waits for">
                    {open.map(e => (
                        <li key={`${e.messageId}-${e.asked}`}>
                            ◐{' '}
                            {e.asker === agent.name
                                ? `waits for an answer of @${e.asked}`
                                : `owes ${e.asker ? `@${e.asker}` : 'you'} an answer`}{' '}
                            since {day(e.createdAt)} <Time at={e.createdAt} />
                        </li>
                    ))}
                </ul>
            )}
            {tasks.trouble && <TroubleBox trouble={tasks.trouble} onRetry={tasks.reload} />}
            {tasks.late && <Loading label="Loading the tasks" />}
            {tasks.value?.data.length === 0 && (
                <Empty>
                    <p>No tasks yet.</p>
                </Empty>
            )}
            <ol class="task-rows">
                {tasks.value?.data.map(t => (
                    <TaskRow key={t.id} w={w} task={t} onChanged={tasks.reload} />
                ))}
            </ol>
        </section>
    );
}

const SOURCES: Record<Task['source'], string> = {
    delegation: 'handed on',
    user: 'from you',
    system: 'by its timer',
    self: 'by itself',
    report: 'a report',
    question: 'a question',
    answer: 'an answer',
    tell: 'a message',
};

function stateOf(t: Task): {
    shape: string;
    word: string;
    kind: 'ok' | 'warn' | 'muted' | 'accent' | 'error';
} {
    if (t.status === 'completed') return { shape: '✓', word: 'done', kind: 'ok' };
    if (t.status === 'cancelled') return { shape: '‖', word: 'cancelled', kind: 'muted' };
    if (t.label === 'waiting')
        return { shape: '◐', word: waitingWord(t), kind: t.waitsFor === 'human' ? 'warn' : 'muted' };
    if (t.running) return { shape: '●', word: 'running', kind: 'accent' };
    if (t.lastError)
        return { shape: '✕', word: `failed ${count(t.attempts, 'time')}, tried again`, kind: 'error' };
    return { shape: '◌', word: 'waits', kind: 'muted' };
}

/** One that failed or was cancelled can be restarted, at once; so can one that waits for an answer, without it. */
function canRetry(t: Task): boolean {
    const rests = t.status === 'pending' && !t.running;
    return t.status === 'cancelled' || (rests && (t.attempts > 0 || t.label === 'waiting'));
}

function TaskRow({ w, task, onChanged }: { w: string; task: Task; onChanged: () => void }) {
    const s = stateOf(task);
    async function cancel(): Promise<void> {
        const r = await cancelTask(w, task.id);
        toast(
            r.ok
                ? { text: 'The task was cancelled.' }
                : { text: `The task was not cancelled. ${r.trouble.detail}`, kind: 'error' },
        );
        onChanged();
    }
    async function retry(): Promise<void> {
        const r = await retryTask(w, task.id);
        toast(
            r.ok
                ? { text: `@${task.agent} has the task again.`, kind: 'ok' }
                : { text: `The task was not restarted. ${r.trouble.detail}`, kind: 'error' },
        );
        onChanged();
    }
    return (
        <li class="task-row">
            <p class="task-head">
                <Badge kind={s.kind}>
                    {s.shape} {s.word}
                </Badge>
                <span class="muted">
                    {task.assignedBy ? `@${task.assignedBy}` : SOURCES[task.source]} · {day(task.createdAt)}{' '}
                    <Time at={task.createdAt} />
                </span>
                {canRetry(task) && (
                    <Button
                        small
                        kind="quiet"
                        disabled={state.value.readOnly}
                        onClick={() => void retry()}
                        label={`Retry: ${task.content.slice(0, 60)}`}
                    >
                        Retry
                    </Button>
                )}
                {task.status === 'pending' && (
                    <Button
                        small
                        kind="quiet"
                        disabled={state.value.readOnly}
                        onClick={() => void cancel()}
                        label={`Cancel: ${task.content.slice(0, 60)}`}
                    >
                        Cancel
                    </Button>
                )}
            </p>
            <p class="task-content">{task.content}</p>
            {task.label === 'waiting' && task.question && (
                <p class="task-question">
                    ◐ {task.question}{' '}
                    {task.inboxId && (
                        <Link to={{ kind: 'inbox', item: task.inboxId }}>Answer it in the inbox</Link>
                    )}
                </p>
            )}
            {task.lastError && task.status === 'pending' && (
                <p class="agent-bad">
                    {task.lastError}
                    {task.notBefore && (
                        <>
                            {' '}
                            Tried again at <Time at={task.notBefore} />.
                        </>
                    )}
                </p>
            )}
            {task.result && <p class="task-result">→ {task.result}</p>}
        </li>
    );
}

function NewTask({ w, agent, onMade }: { w: string; agent: Agent; onMade: () => void }) {
    const [content, setContent] = useState('');
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const ready = content.trim() !== '' && !state.value.readOnly;
    async function send(): Promise<void> {
        if (!ready) return;
        const r = await createTask(w, agent.name, { content });
        setTrouble(r.ok ? null : r.trouble);
        if (!r.ok) return;
        setContent('');
        toast({ text: `@${agent.name} has a new task in the background.`, kind: 'ok' });
        onMade();
    }
    return (
        <form
            class="agent-form"
            onSubmit={e => {
                e.preventDefault();
                void send();
            }}
        >
            <TextArea
                label={`New task for @${agent.name}`}
                rows={2}
                value={content}
                onInput={setContent}
                error={fieldError(trouble, 'content')}
            />
            {trouble && !trouble.errors && <TroubleBox trouble={trouble} safe="Your text is kept." />}
            <div class="agent-actions">
                <Button type="submit" disabled={!ready}>
                    Give task
                </Button>
            </div>
        </form>
    );
}
