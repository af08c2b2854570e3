// tag-editor.tsx: which tags people of this world may put on messages.
import { useSignal } from '@preact/signals';
import type { NewTag } from '../../api/types';
import { Button, Dialog, IconButton } from '../../parts/parts';
import { world } from '../../store/store';
import { define, tags } from './tags';

const MOST = 50;
const blank: NewTag = { name: '', control: 'toggle', instruction: '', target: null, includeInMessage: true };

export function TagEditor({ onClose }: { onClose: () => void }) {
    const list = useSignal<NewTag[]>(
        tags.value.length > 0 ? tags.value.map(t => ({ ...t })) : [{ ...blank }],
    );
    const saving = useSignal(false);
    const set = (i: number, part: Partial<NewTag>) => {
        list.value = list.value.map((t, at) => (at === i ? { ...t, ...part } : t));
    };
    const named = list.value.filter(t => t.name.trim() !== '');
    const twice = new Set(named.map(t => t.name.trim())).size < named.length;
    const save = async () => {
        saving.value = true;
        const ok = await define(
            named.map(t => ({
                ...t,
                name: t.name.trim(),
                instruction: t.instruction?.trim() || t.name.trim(),
            })),
        );
        saving.value = false;
        if (ok) onClose();
    };
    return (
        <Dialog
            title="Tags of this world"
            wide
            onClose={onClose}
            actions={
                <>
                    <Button kind="main" disabled={saving.value || twice} onClick={() => void save()}>
                        Save
                    </Button>
                    <Button onClick={onClose}>Cancel</Button>
                </>
            }
        >
            <p class="tags-note">
                A tag is a button above the message box. It puts an instruction on your message, for one agent
                or for all.
            </p>
            {list.value.map((tag, i) => (
                <TagRow
                    key={i}
                    tag={tag}
                    onSet={part => set(i, part)}
                    onRemove={() => {
                        list.value = list.value.filter((_, at) => at !== i);
                    }}
                />
            ))}
            {twice && (
                <p role="alert" class="tags-wrong">
                    Two tags have the same name.
                </p>
            )}
            <Button
                disabled={list.value.length >= MOST}
                onClick={() => {
                    list.value = [...list.value, { ...blank }];
                }}
            >
                Add a tag
            </Button>
        </Dialog>
    );
}

function TagRow({
    tag,
    onSet,
    onRemove,
}: {
    tag: NewTag;
    onSet: (part: Partial<NewTag>) => void;
    onRemove: () => void;
}) {
    const agents = Object.keys(world.value?.agents ?? {});
    return (
        <fieldset class="tags-edit">
            <legend class="visually-hidden">{tag.name ? `Tag ${tag.name}` : 'New tag'}</legend>
            <label>
                Name{' '}
                <input
                    type="text"
                    value={tag.name}
                    maxLength={64}
                    onInput={e => onSet({ name: e.currentTarget.value })}
                />
            </label>
            <label>
                Instruction{' '}
                <input
                    type="text"
                    value={tag.instruction ?? ''}
                    maxLength={200}
                    onInput={e => onSet({ instruction: e.currentTarget.value })}
                />
            </label>
            <label>
                For
                <select
                    value={tag.target ?? ''}
                    onChange={e => onSet({ target: e.currentTarget.value || null })}
                >
                    <option value="">everyone</option>
                    {agents.map(a => (
                        <option key={a} value={a}>
                            @{a}
                        </option>
                    ))}
                </select>
            </label>
            <label>
                Works as
                <select
                    value={tag.control ?? 'toggle'}
                    onChange={e => onSet({ control: e.currentTarget.value as NewTag['control'] })}
                >
                    <option value="toggle">a switch</option>
                    <option value="choice">one of several</option>
                    <option value="button">a button</option>
                </select>
            </label>
            <label class="tags-check">
                <input
                    type="checkbox"
                    checked={tag.includeInMessage !== false}
                    onChange={e => onSet({ includeInMessage: e.currentTarget.checked })}
                />{' '}
                in the message
            </label>
            <IconButton
                label={`Remove the tag ${tag.name || 'without a name'}`}
                icon="close"
                onClick={onRemove}
            />
        </fieldset>
    );
}
