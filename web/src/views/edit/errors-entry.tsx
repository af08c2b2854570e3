// errors-entry.tsx: *View edit errors*, with a warning mark, while there is something to view.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EditError } from '../../api/types';
import { Button, Count, Dialog, Time } from '../../parts/parts';
import { chatTitle } from '../../store/names';
import { href } from '../../store/place';
import type { WorldState } from '../../store/state';
import { chat } from '../../store/store';
import { editErrors, lookForEditErrors, putAway } from './errors';
import { flow } from './flow';

const DONE: Record<string, string> = {
    remove: 'A removal failed',
    edit: 'An edit failed',
    resubmit: 'An edited message was not sent',
};

function ErrorRow({
    known,
    error: e,
    onLeave,
}: {
    known: WorldState;
    error: EditError;
    onLeave: () => void;
}) {
    const where = e.chatId === null ? undefined : known.chats[e.chatId];
    const w = known.world.name;
    return (
        <li class="edit-error">
            <p>
                <strong>{DONE[e.operation] ?? e.operation}</strong> <Time at={e.createdAt} />
            </p>
            <p dir="auto">{e.error}</p>
            <p class="edit-error-ways">
                {where ? (
                    <a
                        href={href({
                            kind: 'chat',
                            w,
                            c: where.id,
                            view: 'chat',
                            ...(e.operation !== 'resubmit' && e.messageId ? { m: e.messageId } : {}),
                        })}
                        onClick={onLeave}
                    >
                        Open "{chatTitle(where)}"
                    </a>
                ) : (
                    <span class="edit-muted">The conversation is not in the list.</span>
                )}
                <Button small kind="quiet" onClick={() => putAway([e])}>
                    Put away
                </Button>
            </p>
        </li>
    );
}

/** Looks when the world is opened, when an edit is refused here, and when one that is listed may be solved. */
function useLooking(w: string): void {
    useEffect(() => void lookForEditErrors(w), [w]);
    const refused = flow.value.step === 'refused';
    useEffect(() => {
        if (refused) void lookForEditErrors(w);
    }, [w, refused]);
    const thread = chat.value?.thread;
    useEffect(() => {
        if (editErrors.peek().length > 0) void lookForEditErrors(w);
    }, [w, thread]);
}

/** A row of the list of conversations; nothing while nothing is to be viewed. */
export function EditErrorsEntry({ known, onLeave }: { known: WorldState; onLeave: () => void }) {
    const shown = useSignal(false);
    useLooking(known.world.name);
    const all = editErrors.value;
    const close = () => {
        shown.value = false;
    };
    if (all.length === 0) return null;
    return (
        <li class="list-row">
            <button
                type="button"
                class="list-link"
                aria-haspopup="dialog"
                onClick={() => {
                    shown.value = true;
                }}
            >
                <span class="edit-error-mark" aria-hidden="true">
                    ⚠
                </span>
                <span class="list-title">View edit errors</span>
                <Count value={all.length} label={all.length === 1 ? 'edit error' : 'edit errors'} />
            </button>
            {shown.value && (
                <Dialog
                    title="Edit errors"
                    onClose={close}
                    actions={<Button onClick={() => putAway(all)}>Hide all</Button>}
                >
                    <p class="edit-muted">
                        An error leaves this list when its message is edited or removed. Hidden errors are
                        hidden only in this browser.
                    </p>
                    <ul class="edit-errors">
                        {all.map(e => (
                            <ErrorRow
                                key={`${e.id} ${e.createdAt}`}
                                known={known}
                                error={e}
                                onLeave={() => {
                                    close();
                                    onLeave();
                                }}
                            />
                        ))}
                    </ul>
                </Dialog>
            )}
        </li>
    );
}
