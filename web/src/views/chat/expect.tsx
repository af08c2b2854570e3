// expect.tsx: two tags that every world has: who is expected to answer, and that nobody may change anything.

import { signal, type Signal } from '@preact/signals';
import type { Instruction } from '../../api/types';
import { Menu } from '../../parts/parts';
import { keep, kept } from '../../store/keep';
import { world } from '../../store/store';

export interface Expect {
    target: string | null;
    readOnly: boolean;
}

const NONE: Expect = { target: null, readOnly: false };
const open = new Map<string, Signal<Expect>>();

/** What the next message of a conversation asks for; kept like its draft. */
export function expectOf(w: string, c: string): Signal<Expect> {
    const key = `skein.expect.${w}.${c}`;
    const known = open.get(key);
    if (known) return known;
    const stored = kept(key) as Partial<Expect> | null;
    const made = signal<Expect>({
        target: typeof stored?.target === 'string' ? stored.target : null,
        readOnly: stored?.readOnly === true,
    });
    open.set(key, made);
    made.subscribe(value => keep(key, value.target === null && !value.readOnly ? null : value));
    return made;
}

export function clearExpect(of: Signal<Expect>): void {
    of.value = NONE;
}

export function expectInstructions(e: Expect): Instruction[] {
    return [
        ...(e.target ? [{ type: 'ResponseExpected', target: e.target }] : []),
        ...(e.readOnly ? [{ type: 'ReadOnly' }] : []),
    ];
}

export function ExpectButtons({ of }: { of: Signal<Expect> }) {
    const { target, readOnly } = of.value;
    const agents = Object.keys(world.value?.agents ?? {}).sort();
    const items = [
        {
            label: 'Nobody',
            checked: target === null,
            run: () => {
                of.value = { ...of.peek(), target: null };
            },
        },
        ...agents.map(a => ({
            label: a,
            checked: target === a,
            run: () => {
                of.value = { ...of.peek(), target: a };
            },
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
                onClick={() => {
                    of.value = { ...of.peek(), readOnly: !readOnly };
                }}
            >
                {readOnly ? <span aria-hidden="true">✓ </span> : null}Read only
            </button>
        </div>
    );
}
