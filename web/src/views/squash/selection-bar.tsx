// selection-bar.tsx: what can be done with the ticked messages.
import { useCommands } from '../../keys/commands';
import { Button, IconButton, toast } from '../../parts/parts';
import { selected, selecting } from '../../store/focus';
import { shown } from '../../store/store';
import { AwayNote, isAway } from '../shared/away';
import { count, grouped, resultsNote } from '../shared/words';
import { choose, chosen, clear, resultsIn, type Pick } from './selection';
import { joined, open, removeChosen, draft } from './squash-flow';

const picks: [Pick, string][] = [
    ['all', 'All'],
    ['mine', 'Mine'],
    ['agents', 'Agents'],
    ['thinking', 'Thinking'],
    ['tools', 'Tools'],
    ['plain', 'Plain'],
];

export function SelectionBar() {
    const active = selecting.value || selected.value.size > 0;
    useCommands([
        {
            id: 'squash',
            title: 'Squash the selected messages',
            keys: ['q'],
            where: 'Selection',
            when: () => active && !draft.value,
            run: squash,
        },
        {
            id: 'selection.clear',
            title: 'Clear the selection',
            keys: ['Escape'],
            where: 'Selection',
            when: () => active && !draft.value,
            run: clear,
        },
    ]);
    if (!active) return null;
    const n = selected.value.size;
    const fixed = shown.value.readOnly;
    return (
        <div class="squash-bar" role="toolbar" aria-label="Selected messages">
            <span class="squash-bar-count" role="status">
                {grouped(n)} selected{resultsNote(resultsIn(chosen()))}
            </span>
            <span class="squash-bar-picks">
                {picks.map(([id, label]) => (
                    <Button key={id} small kind="quiet" onClick={() => choose(id)}>
                        {label}
                    </Button>
                ))}
            </span>
            <span class="squash-bar-acts">
                <Button small kind="main" disabled={fixed} why={n < 2 ? FEW : null} onClick={squash}>
                    Squash
                </Button>
                <Button small disabled={n === 0 || fixed} off={isAway()} onClick={() => void removeChosen()}>
                    Remove
                </Button>
                <Button small disabled={n === 0} onClick={() => void exportChosen()}>
                    Export
                </Button>
                <IconButton label="Clear the selection" icon="close" onClick={clear} />
            </span>
            <AwayNote />
        </div>
    );
}

const FEW = 'One message alone cannot be squashed: select another with x, or with Shift and an arrow.';

/** Why it cannot be done is said: a key that does nothing looks broken. */
function squash(): void {
    if (shown.value.readOnly)
        toast({ text: 'This version is read only: nothing can be squashed in it.', subject: 'squash' });
    else if (selected.value.size < 2) toast({ text: FEW, subject: 'squash' });
    else open();
}

async function exportChosen(): Promise<void> {
    const text = joined(chosen());
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: `${count(selected.value.size, 'message is', 'messages are')} copied as text.` });
    } catch {
        toast({ text: 'This browser did not allow copying.', kind: 'error' });
    }
}
