// banners.tsx: what concerns the whole conversation: that the demo is scripted.

import { useComputed, useSignal } from '@preact/signals';
import { Banner, Button } from '../../parts/parts';
import { keep, kept } from '../../store/keep';
import { go } from '../../store/place';
import { world } from '../../store/store';
import { useNarrow } from '../shared/narrow';
import { painted } from './paint';
import { isScripted } from './words';

const HIDDEN = 'skein.scriptedHidden';

/** Whether what agents say here is canned: the newest answer tells, and before one comes, the world does. */
function scriptedHere(): boolean {
    const { shown, chat } = painted.value;
    const live = Object.values(chat?.live ?? {})[0]?.model;
    const last = live ?? shown.rows.findLast(m => m.model !== null)?.model;
    if (last) return isScripted(last);
    const agents = Object.values(world.value?.agents ?? {});
    return (
        agents.some(a => isScripted(a.model)) ||
        (world.value?.world.name === 'tour' && agents.every(a => a.model === null))
    );
}

export function ScriptedBanner() {
    const hidden = useSignal(kept(HIDDEN) === true);
    const scripted = useComputed(scriptedHere).value;
    const narrow = useNarrow();
    if (hidden.value || !scripted) return null;
    const hide = () => {
        hidden.value = true;
        keep(HIDDEN, true);
    };
    return (
        <div class="chat-banner">
            <Banner
                kind="warn"
                label="Scripted demo"
                actions={
                    <>
                        <Button small onClick={() => go({ kind: 'settings', tab: 'models' })}>
                            Connect a model
                        </Button>
                        <Button small kind="quiet" label="Hide this note" onClick={hide}>
                            Hide
                        </Button>
                    </>
                }
            >
                {narrow
                    ? 'Scripted demo. No AI is running.'
                    : 'This is a scripted demo. No AI is running and nothing leaves this computer.'}
            </Banner>
        </div>
    );
}
