// squash-dialog.tsx: how the one message comes about, and what it will say.
import { Button, Dialog, TroubleBox } from '../../parts/parts';
import {
    change,
    close,
    leaveOut,
    models,
    preview,
    result,
    savedPrompts,
    tokens,
    use,
    wish,
    write,
    type How,
    type Wish,
} from './squash-flow';

const ways: [How, string][] = [
    ['model', 'AI squash'],
    ['join', 'Join texts, no AI'],
    ['own', 'I write it myself'],
];

export function SquashHost() {
    const now = wish.value;
    if (!now) return null;
    const text = result(now);
    const byModel = now.how === 'model';
    return (
        <Dialog
            title={`Squash ${now.sources.length} messages into one`}
            wide
            onClose={close}
            actions={
                <>
                    {byModel && (
                        <Button
                            kind={now.preview === null ? 'main' : 'plain'}
                            // Not disabled while it asks: the focus would fall off the dialog.
                            disabled={!now.prompt.trim()}
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
            {now.trouble && <TroubleBox trouble={now.trouble} />}
            <Preview now={now} text={text} />
        </Dialog>
    );
}

function Sources({ now }: { now: Wish }) {
    return (
        <>
            <ul class="squash-sources" aria-label="Messages to squash">
                {now.sources.map(m => (
                    <li key={m.messageId}>
                        <label>
                            <input
                                type="checkbox"
                                checked
                                disabled={now.sources.length <= 2}
                                onChange={() => leaveOut(m.messageId)}
                            />
                            <b>
                                {m.sender === 'human'
                                    ? 'You'
                                    : m.role === 'tool'
                                      ? 'tool result'
                                      : `@${m.sender}`}
                            </b>
                            <span dir="auto">
                                {m.content.slice(0, 120) ||
                                    (m.toolCalls[0] ? `tool ${m.toolCalls[0].toolName}` : '')}
                            </span>
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

function ByModel({ now }: { now: Wish }) {
    // The server says which model it asked; it may be one that no list has.
    const offered = now.model && !models.value.includes(now.model) ? [now.model] : [];
    return (
        <div class="squash-ask">
            <label class="squash-field">
                Prompt
                <input
                    type="text"
                    list="squash-prompts"
                    value={now.prompt}
                    onInput={e => change({ prompt: e.currentTarget.value, preview: null })}
                />
            </label>
            <datalist id="squash-prompts">
                {savedPrompts().map(p => (
                    <option key={p} value={p} />
                ))}
            </datalist>
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

function Preview({ now, text }: { now: Wish; text: string | null }) {
    const before = now.sources.reduce((sum, m) => sum + tokens(m.content), 0);
    return (
        <section class="squash-preview" aria-label="Preview" aria-live="polite" aria-busy={now.asking}>
            <h3>
                Preview
                <span class="squash-note">
                    {now.sources.length} messages, about {before} tokens
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
            <p class="squash-note">
                The result takes the place of the first of them. The messages themselves stay in the version
                before.
            </p>
        </section>
    );
}
