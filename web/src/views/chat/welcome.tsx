// welcome.tsx: an empty conversation: what can be tried, and, in the tour, the five steps.

import { useCommands } from '../../keys/commands';
import { Badge, Button, Empty } from '../../parts/parts';
import { prefs, setPref } from '../../store/prefs';
import { send, world } from '../../store/store';
import { closeSheets } from '../frame/layout';
import { answerers, onlyScripted } from '../shared/answering';
import { useNarrow } from '../shared/narrow';
import { STEPS, isTour } from './tour';

function countWord(n: number): string {
    return (
        [
            'No agents are',
            'One agent is',
            'Two agents are',
            'Three agents are',
            'Four agents are',
            'Five agents are',
        ][n] ?? `${n} agents are`
    );
}

/** The steps are in the palette; their numbers are sent as messages, because what is typed is text. */
export function useTourCommands(when: () => boolean): void {
    useCommands(
        STEPS.map(s => ({
            id: `tour.${s.id}`,
            title: `Tour: ${s.label}`,
            where: 'Tour',
            when,
            run: s.run,
        })),
    );
}

function TourWelcome() {
    const narrow = useNarrow();
    const hidden = prefs.value.tourHidden;
    const agents = Object.keys(world.value?.agents ?? {}).length;
    return (
        <div class="chat-welcome">
            <h2>Welcome. {countWord(agents)} here. Try one of these:</h2>
            <ol class="chat-steps">
                {STEPS.map((s, n) => (
                    <li key={s.id}>
                        <button type="button" onClick={s.run}>
                            {hidden ? null : <kbd aria-hidden="true">{n + 1}</kbd>}{' '}
                            <span>{narrow ? s.short : s.label}</span>
                        </button>
                    </li>
                ))}
            </ol>
            <p class="muted">
                {hidden ? 'Or' : 'Press one, or send its number; or'} type anything.
                {onlyScripted(answerers()) && ' The demo will say so when it has no line for what you wrote.'}
            </p>
        </div>
    );
}

const EXAMPLES = ['Hello everyone!', 'What can each of you do?', 'Plan the next week together.'];

export function Welcome() {
    if (isTour()) return <TourWelcome />;
    return (
        <Empty>
            <p>
                No messages yet. Every agent of this world answers unless it is paused; write @name to ask one
                agent.
            </p>
            <div class="chat-examples">
                {EXAMPLES.map(t => (
                    <Button key={t} onClick={() => void send(t)}>
                        {t}
                    </Button>
                ))}
            </div>
        </Empty>
    );
}

/** In the right column until the tour is dismissed. */
export function TourCard() {
    const { tourHidden, tourDone } = prefs.value;
    if (tourHidden || !isTour()) return null;
    const count = STEPS.filter(s => tourDone.includes(s.id)).length;
    return (
        <section class="chat-tour" aria-label="Tour">
            <h3>
                Tour <Badge kind="muted">{`${count} of ${STEPS.length}`}</Badge>
            </h3>
            <ul>
                {STEPS.map((s, n) => {
                    const isDone = tourDone.includes(s.id);
                    return (
                        <li key={s.id}>
                            <button
                                type="button"
                                title={`${s.label} (${n + 1})`}
                                onClick={() => {
                                    closeSheets();
                                    s.run();
                                }}
                            >
                                <span aria-hidden="true">{isDone ? '✓' : '○'}</span> {s.title}
                                <span class="visually-hidden">{isDone ? ', done' : ', not done'}</span>
                            </button>
                        </li>
                    );
                })}
            </ul>
            <Button small kind="quiet" onClick={() => setPref('tourHidden', true)}>
                {count === STEPS.length ? 'Hide the tour' : 'Skip the tour'}
            </Button>
        </section>
    );
}
