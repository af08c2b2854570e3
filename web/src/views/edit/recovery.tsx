// recovery.tsx: an edit that stopped between its two steps. It is offered again until the new text
// has been sent or the removed messages are back; it tries by itself a few times first.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Banner, Button, Time, toast } from '../../parts/parts';
import { chat, state, world } from '../../store/store';
import { messages } from '../shared/words';
import { alone, changes, leftover, type Backup } from './backup';
import { progress } from './progress';
import { proceed, putBack } from './run';

const TRIES = 3;
const WAIT_SECONDS = 8;

export function RecoveryBanner() {
    const found = useSignal<Backup | null>(null);
    useSignalEffect(() => {
        const w = world.value?.world.name;
        const c = chat.value?.chat.id;
        const running = progress.value !== null;
        changes.value; // looks again when a backup comes or goes
        if (!w || !c || running || !leftover(w, c)) {
            found.value = null;
            return;
        }
        // Another tab may be in the middle of it: then there is nothing to recover.
        void alone(w, c, async () => {
            found.value = leftover(w, c);
        });
    });
    return found.value ? <Recovery key={found.value.clientMessageId} backup={found.value} /> : null;
}

function Recovery({ backup }: { backup: Backup }) {
    const tries = backup.tries ?? 1;
    const cancelled = backup.cancelled === true;
    const seconds = useSignal(WAIT_SECONDS);
    const live = state.value.connection.state === 'live';
    const again = () => {
        seconds.value = WAIT_SECONDS;
        void (cancelled ? putBack(backup) : proceed(backup));
    };
    useEffect(() => {
        const timer = setInterval(() => {
            if (tries >= TRIES || state.value.connection.state !== 'live') return;
            if (seconds.value > 1) seconds.value--;
            else again();
        }, 1000);
        return () => clearInterval(timer);
    }, [backup]);
    return (
        <Banner
            kind="warn"
            actions={
                <>
                    {!cancelled && (
                        <Button kind="main" onClick={again}>
                            Retry now
                        </Button>
                    )}
                    {backup.previousThread && (
                        <Button kind={cancelled ? 'main' : 'plain'} onClick={() => void putBack(backup)}>
                            {backup.phase === 'removing'
                                ? 'Leave it as it was'
                                : `Put ${messages(backup.count, backup.results)} back`}
                        </Button>
                    )}
                    <Button onClick={() => void copy(backup.newText)}>Copy my text</Button>
                </>
            }
        >
            <p>
                ⚠ {cancelled ? 'You cancelled this edit.' : 'Your edited message was not sent.'}{' '}
                {what(backup)} Your new text is kept here.
            </p>
            <p class="edit-muted">
                {backup.reason ? `Reason: ${backup.reason} ` : 'The page was closed or reloaded in between. '}
                (<Time at={new Date(backup.at).toISOString()} />)
                {tries < TRIES && live && ` Attempt ${tries + 1} of ${TRIES} in ${seconds.value} s.`}
                {!live && ' It is tried again when the server is back.'}
            </p>
            <details class="edit-preview">
                <summary>Show my text</summary>
                <p class="edit-kept" dir="auto">
                    {backup.newText}
                </p>
            </details>
        </Banner>
    );
}

function what(backup: Backup): string {
    if (backup.phase === 'removing')
        return backup.cancelled
            ? 'The messages may have been removed; if so, they will be restored.'
            : 'The messages may have been removed; retrying is safe.';
    return `${messages(backup.count, backup.results)} ${backup.count === 1 ? 'was' : 'were'} removed.`;
}

async function copy(text: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: 'Your text is copied.' });
    } catch {
        toast({
            text: 'This browser did not allow copying. Unfold "Show my text" and copy it by hand.',
            kind: 'error',
        });
    }
}
