// banners.tsx: what concerns the whole conversation: that the demo is scripted.

import { useComputed, useSignal } from '@preact/signals';
import { Banner, Button } from '../../parts/parts';
import { keep, kept } from '../../store/keep';
import { go } from '../../store/place';
import { answerers, onlyScripted } from '../shared/answering';
import { useNarrow } from '../shared/narrow';

const HIDDEN = 'skein.scriptedHidden';

export function ScriptedBanner() {
    const hidden = useSignal(kept(HIDDEN) === true);
    const scripted = useComputed(() => onlyScripted(answerers())).value;
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
