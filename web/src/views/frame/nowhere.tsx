import { useSignal } from '@preact/signals';
import { Button, Empty, Loading, TroubleBox } from '../../parts/parts';
import { place } from '../../store/place';
import { openAgain, openTrouble, retryNow, state, world } from '../../store/store';
import { newChat } from './actions';
import { NewWorld } from './world-menu';

/** A place without a screen of its own: no conversation, no world, no such address. */
export function Nowhere() {
    const making = useSignal(false);
    const here = place.value;
    if (here.kind === 'unknown') {
        return (
            <Empty>
                <h1>There is nothing at this address</h1>
                <p>
                    <code>{here.path}</code>
                </p>
                <p>
                    <a href="/">Go to the first page</a>
                </p>
            </Empty>
        );
    }
    if (here.kind === 'world' && world.value) {
        return (
            <Empty>
                <h1>{here.w}</h1>
                <p>No conversations yet.</p>
                <Button kind="main" onClick={() => void newChat()}>
                    New conversation
                </Button>
            </Empty>
        );
    }
    if (state.value.connection.state !== 'live' || state.value.worlds.length > 0) {
        return (
            <>
                <h1 class="visually-hidden">skein</h1>
                <Loading label="Loading" />
            </>
        );
    }
    return (
        <Empty>
            <h1>No world yet</h1>
            <p>A world has its own agents, conversations and settings.</p>
            <Button
                kind="main"
                onClick={() => {
                    making.value = true;
                }}
            >
                New world
            </Button>
            {making.value && (
                <NewWorld
                    onClose={() => {
                        making.value = false;
                    }}
                />
            )}
        </Empty>
    );
}

/** The address names something that cannot be shown: it is gone, or the server does not answer. */
export function CannotOpen() {
    const trouble = openTrouble.value;
    if (!trouble) return null;
    const away = trouble.status === 0;
    // What is gone stays gone; what went wrong in the server may go better.
    const again = away ? retryNow : trouble.status >= 500 ? () => void openAgain() : undefined;
    return (
        <div class="frame-lost">
            <h1>{away ? 'The server does not answer' : 'This cannot be opened'}</h1>
            <TroubleBox trouble={trouble} onRetry={again} safe="Nothing was changed." />
            <p>
                <a href="/">Go to the first page</a>
            </p>
        </div>
    );
}
