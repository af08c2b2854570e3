// expect.tsx: two tags that every conversation has, kept by the server: who is expected to answer, and that nobody may
// change anything.

import type { ChatPatch, Instruction } from '../../api/types';
import { Menu, toast } from '../../parts/parts';
import { setExpected, world } from '../../store/store';
import { painted } from './paint';

/** What each message of the conversation asks for, until it is switched off. */
export function expectInstructions(): Instruction[] {
    const c = painted.value.chat?.chat;
    return [
        ...(c?.replyExpected ? [{ type: 'ResponseExpected', target: c.replyExpected }] : []),
        ...(c?.readOnly ? [{ type: 'ReadOnly' }] : []),
    ];
}

async function set(patch: ChatPatch): Promise<void> {
    const done = await setExpected(patch);
    if (!done.ok) toast({ text: `Nothing was changed. ${done.trouble.detail}`, kind: 'error' });
}

export function ExpectButtons() {
    const target = painted.value.chat?.chat.replyExpected ?? null;
    const readOnly = painted.value.chat?.chat.readOnly ?? false;
    const agents = Object.keys(world.value?.agents ?? {}).sort();
    const items = [
        { label: 'Nobody', checked: target === null, run: () => void set({ replyExpected: null }) },
        ...agents.map(a => ({
            label: a,
            checked: target === a,
            run: () => void set({ replyExpected: a }),
        })),
    ];
    return (
        <div class="chat-expect">
            <Menu
                label="Whose reply is expected"
                items={items}
                plain
                class={target ? 'chat-on' : undefined}
                button={
                    <>
                        {target ? `Reply expected: ${target}` : 'Reply expected'}{' '}
                        <span aria-hidden="true">▾</span>
                    </>
                }
            />
            <button
                type="button"
                class="tags-button"
                aria-pressed={readOnly}
                onClick={() => void set({ readOnly: !readOnly })}
            >
                {readOnly ? <span aria-hidden="true">✓ </span> : null}Read only
            </button>
        </div>
    );
}
