// squash-dialog.tsx: how the one message comes about, and what it will say.
import type { Message } from '../../api/types';
import { Button, Dialog, IconButton, TroubleBox } from '../../parts/parts';
import { AwayNote, isAway } from '../shared/away';
import { firstLine, messages } from '../shared/words';
import { resultsIn } from './selection';
import { forgetPrompt, savedPrompts, savePrompt } from './prompts';
import {
    change,
    close,
    leaveOut,
    models,
    preview,
    result,
    tokens,
    use,
    draft,
    write,
    type How,
    type SquashDraft,
} from './squash-flow';

const ways: [How, string][] = [
    ['model', 'AI squash'],
    ['join', 'Join texts, no AI'],
    ['own', 'I write it myself'],
];

const sourcesText = ({ sources }: SquashDraft) => messages(sources.length, resultsIn(sources));

export function SquashHost() {
    const now = draft.value;
    if (!now) return null;
    const text = result(now);
    const byModel = now.how === 'model';
    return (
        <Dialog
            title={`Squash ${sourcesText(now)} into one`}
            wide
            onClose={close}
            actions={
                <>
                    <AwayNote />
                    {byModel && (
                        <Button
                            kind={now.preview === null ? 'main' : 'plain'}
                            // Not disabled while it asks: the focus would fall off the dialog.
                            disabled={!now.prompt.trim()}
                            off={isAway()}
                            busy={now.asking}
                            onClick={() => void preview()}
                        >
                            {now.asking
                                ? 'Asking the model…'
                                : now.preview === null
                                  ? 'Preview'
                                  : 'Try again'}
                        </Button>
                    )}
                    <Button
                        kind={byModel && now.preview === null ? 'plain' : 'main'}
                        disabled={!text?.trim()}
                        off={isAway()}
                        busy={now.asking}
                        onClick={() => void use()}
                    >
                        Use this: makes a new version
                    </Button>
                    <Button onClick={close}>Cancel</Button>
                </>
            }
        >
            <Sources now={now} />
            <fieldset class="squash-how">
                <legend>How</legend>
                {ways.map(([how, label]) => (
                    <label key={how}>
                        <input
                            type="radio"
                            name="squash-how"
                            checked={now.how === how}
                            onChange={() => change({ how })}
                        />{' '}
                        {label}
                    </label>
                ))}
            </fieldset>
            {byModel && <ByModel now={now} />}
            {now.how === 'own' && (
                <label class="squash-field">
                    Text
                    <textarea rows={6} value={now.text} onInput={e => write(e.currentTarget.value)} />
                </label>
            )}
            <Place now={now} />
            {now.trouble && <TroubleBox trouble={now.trouble} />}
            <Preview now={now} text={text} />
        </Dialog>
    );
}

function senderOf(m: Message): string {
    if (m.sender === 'human') return 'You';
    return m.role === 'tool' ? 'tool result' : `@${m.sender}`;
}

function firstCall(m: Message): string {
    return m.toolCalls[0] ? `tool ${m.toolCalls[0].toolName}` : '';
}

function Sources({ now }: { now: SquashDraft }) {
    return (
        <>
            <ul class="squash-sources" aria-label="Messages to squash" tabIndex={0}>
                {now.sources.map(m => (
                    <li key={m.messageId}>
                        <label>
                            <input
                                type="checkbox"
                                checked
                                disabled={now.sources.length <= 2}
                                onChange={() => leaveOut(m.messageId)}
                            />
                            <b>{senderOf(m)}</b>
                            <span dir="auto">{m.content.slice(0, 120) || firstCall(m)}</span>
                        </label>
                    </li>
                ))}
            </ul>
            {now.added && (
                <p class="squash-note">
                    A tool call and its result belong together: the other half was ticked too.
                </p>
            )}
        </>
    );
}

/** Prompts to use again: chosen, kept and thrown away here. */
function SavedPrompts({ prompt }: { prompt: string }) {
    const list = savedPrompts.value;
    const known = prompt.trim() === '' || list.includes(prompt.trim());
    return (
        <details class="squash-saved">
            <summary>Saved prompts</summary>
            {list.length === 0 && <p class="squash-note">None yet.</p>}
            <ul aria-label="Saved prompts">
                {list.map(p => (
                    <li key={p}>
                        <button
                            type="button"
                            aria-pressed={p === prompt}
                            onClick={() => change({ prompt: p, preview: null })}
                        >
                            {p}
                        </button>
                        <IconButton
                            icon="close"
                            label={`Delete the saved prompt: ${p}`}
                            onClick={() => forgetPrompt(p)}
                        />
                    </li>
                ))}
            </ul>
            <Button small disabled={known} onClick={() => savePrompt(prompt.trim())}>
                Save this prompt
            </Button>
        </details>
    );
}

function ByModel({ now }: { now: SquashDraft }) {
    // The server says which model it asked; it may be one that no list has.
    const offered = now.model && !models.value.includes(now.model) ? [now.model] : [];
    return (
        <div class="squash-ask">
            <label class="squash-field">
                Prompt
                <input
                    type="text"
                    value={now.prompt}
                    onInput={e => change({ prompt: e.currentTarget.value, preview: null })}
                />
            </label>
            <SavedPrompts prompt={now.prompt} />
            <label class="squash-field">
                Model
                <select
                    value={now.model}
                    onChange={e => change({ model: e.currentTarget.value, preview: null })}
                >
                    <option value="">same as the conversation</option>
                    {[...models.value, ...offered].map(m => (
                        <option key={m} value={m}>
                            {m}
                        </option>
                    ))}
                </select>
            </label>
        </div>
    );
}

/** Where the one message will stand, and where the others are then. */
function Place({ now }: { now: SquashDraft }) {
    const [first] = now.sources;
    if (!first) return null;
    return (
        <p class="squash-note">
            The result takes the place of the first of them: {senderOf(first)},{' '}
            <span dir="auto">“{firstLine(first.content, 60) || firstCall(first)}”</span>. The messages
            themselves stay in the previous version.
        </p>
    );
}

function Preview({ now, text }: { now: SquashDraft; text: string | null }) {
    const before = now.sources.reduce((sum, m) => sum + tokens(m.content), 0);
    return (
        <section class="squash-preview" aria-label="Preview" aria-live="polite" aria-busy={now.asking}>
            <h3>
                Preview
                <span class="squash-note">
                    {sourcesText(now)}, about {before} tokens
                    {text !== null && ` → 1 message, about ${tokens(text)} tokens`}
                </span>
            </h3>
            {text === null ? (
                <p class="squash-note">
                    {now.asking ? 'The model is writing…' : 'Press Preview to ask the model.'}
                </p>
            ) : (
                <p class="squash-text" dir="auto">
                    {text}
                </p>
            )}
        </section>
    );
}
