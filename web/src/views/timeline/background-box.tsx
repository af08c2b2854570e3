import { getTask } from '../../api/calls';
import type { Task } from '../../api/types';
import { AgentName, duration } from '../../parts/parts';
import { world } from '../../store/store';
import { useTick } from '../agents/follow';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { count, firstLine } from '../shared/words';
import { readWork, TASK_STATES, taskFold, waitingWord } from './background';
import { openByItself } from './model';
import { TimelineRow } from './row';
import { isFoldOpen, setOpen } from './state';

const CHANGES = ['task.queued', 'task.started', 'task.waiting', 'task.finished', 'stream.reset'] as const;
const NEWS = [...CHANGES, 'message.completed', 'tool.completed', 'tool.failed'] as const;

function TaskState({ task }: { task: Task }) {
    const { shape, word, run } = TASK_STATES[task.label];
    const took = task.completedAt ? Date.parse(task.completedAt) - Date.parse(task.createdAt) : null;
    return (
        <span class={`timeline-state timeline-${run ?? 'waits'}`}>
            <span aria-hidden="true">{shape}</span> {task.label === 'waiting' ? waitingWord(task) : word}
            {took === null ? '' : ` ${duration(took)}`}
        </span>
    );
}

function Head({ task, open }: { task: Task; open: boolean }) {
    return (
        <button
            type="button"
            class="timeline-head"
            data-stop="row"
            aria-expanded={open}
            onClick={() => setOpen(taskFold(task.id), !open)}
        >
            <span class="timeline-twist" aria-hidden="true">
                {open ? '▾' : '▸'}
            </span>
            <span class="timeline-note">◌ background</span>
            <AgentName name={task.agent} />
            <span class="timeline-title">{firstLine(task.content, 60)}</span>
            <TaskState task={task} />
            {!open && task.result && (
                <span class="timeline-facts">
                    <span class="timeline-firstwords">“{firstLine(task.result, 60)}”</span>
                </span>
            )}
        </button>
    );
}

function Work({ w, task }: { w: string; task: Task }) {
    const read = useLoad(
        `${w}/${task.id}/${task.messageId}`,
        signal => readWork(w, task, signal),
        useTick(NEWS),
    );
    const lane = read.value;
    return (
        <div class="timeline-inside">
            {lane && lane.items.length > 0 ? (
                <ol class="timeline-items" aria-label={`Background work of @${task.agent}`}>
                    {lane.items.map((item, at) => (
                        <TimelineRow key={`${item.kind} ${item.id ?? at}`} item={item} lane={lane} />
                    ))}
                </ol>
            ) : (
                <p class="timeline-note">{task.content}</p>
            )}
            {task.lastError && task.status === 'pending' && (
                <p class="timeline-failure">
                    {task.lastError} Tried {count(task.attempts, 'time')}.
                </p>
            )}
            <div class="timeline-acts">
                <Link
                    to={{ kind: 'agent', w, a: task.agent, tab: 'background' }}
                    label={`See the background work of @${task.agent}`}
                >
                    See the background work
                </Link>
            </div>
        </div>
    );
}

/** A box like that of a run, where the work was given: nobody here waits for it. */
export function BackgroundBox({ id }: { id: string }) {
    const w = world.value?.world.name ?? '';
    const read = useLoad<Task>(`${w}/${id}`, signal => getTask(w, id, {}, { signal }), useTick(CHANGES));
    const task = read.value;
    if (!task) return null;
    const run = TASK_STATES[task.label].run;
    const open = isFoldOpen(taskFold(id), run !== null && openByItself(run));
    return (
        <li class="timeline-nest">
            <div
                class={`timeline-box timeline-box-${run ?? 'waits'}`}
                role="group"
                aria-label={`Background work of @${task.agent}: ${firstLine(task.content, 60)}`}
            >
                <Head task={task} open={open} />
                {open && <Work w={w} task={task} />}
            </div>
        </li>
    );
}
