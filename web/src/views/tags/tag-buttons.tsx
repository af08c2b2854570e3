// tag-buttons.tsx: switches above the message box, made from the world's definitions.
import './tags.css';
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Tag } from '../../api/types';
import { activeCommands } from '../../keys/commands';
import { Button, toast } from '../../parts/parts';
import type { Draft } from '../../store/drafts';
import { TagEditor } from './tag-editor';
import { follow, groups, pressed, remember, tags } from './tags';

export { instructionsOf } from './tags';

export function TagButtons({ draft }: { draft: Signal<Draft> }) {
    const editing = useSignal(false);
    useEffect(() => follow(), []);
    const on = draft.value.tags;
    const press = (group: Tag[]) => {
        const first = group[0];
        if (first && !first.includeInMessage) {
            act(first);
            return;
        }
        const names = pressed(group, on);
        draft.value = { ...draft.value, tags: names };
        void remember(names).then(kept => {
            if (!kept) draft.value = { ...draft.value, tags: on };
        });
    };
    return (
        <div class="tags-row" role="group" aria-label="Tags of your next message">
            {groups(tags.value).map(group => (
                <TagButton key={group[0]?.name} group={group} on={on} onPress={() => press(group)} />
            ))}
            <Button
                kind="quiet"
                onClick={() => {
                    editing.value = true;
                }}
            >
                + tags
            </Button>
            {editing.value && (
                <TagEditor
                    onClose={() => {
                        editing.value = false;
                    }}
                />
            )}
        </div>
    );
}

function TagButton({ group, on, onPress }: { group: Tag[]; on: readonly string[]; onPress: () => void }) {
    const first = group[0];
    if (!first) return null;
    const active = group.find(t => on.includes(t.name));
    const label = active?.name ?? (group.length > 1 ? (first.instruction ?? first.name) : first.name);
    if (!first.includeInMessage)
        return (
            <button type="button" class="tags-button" onClick={onPress}>
                {label}
            </button>
        );
    return (
        <button
            type="button"
            class="tags-button"
            aria-pressed={active !== undefined}
            title={describe(active ?? first)}
            onClick={onPress}
        >
            {active && <span aria-hidden="true">✓ </span>}
            {label}
        </button>
    );
}

function describe(tag: Tag): string {
    return tag.target ? `${tag.instruction ?? tag.name}: ${tag.target}` : (tag.instruction ?? tag.name);
}

// A tag that is not part of the message does something at once: it is the name of a command.
function act(tag: Tag): void {
    const command = activeCommands().find(c => c.id === tag.instruction);
    if (command) command.run();
    else
        toast({
            text: `"${tag.name}" names no command of this page. Commands are in the palette (Ctrl K, then >).`,
        });
}
