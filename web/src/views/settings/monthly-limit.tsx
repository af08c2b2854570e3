import { useState } from 'preact/hooks';
import { updateWorld } from '../../api/calls';
import type { Trouble } from '../../api/client';
import { Button, Field, toast } from '../../parts/parts';
import { refreshWorld, state, world } from '../../store/store';
import { fieldError } from '../agents/agent-form';
import { grouped } from '../shared/words';

/** How much the agents of the open world may use up in a month. */
export function MonthlyLimit() {
    const known = world.value;
    const now = known?.world.settings.monthlyTokens ?? 0;
    const [text, setText] = useState<string | null>(null);
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    if (!known) return null;
    const typed = text ?? (now > 0 ? String(now) : '');
    const changed = text !== null && text !== (now > 0 ? String(now) : '');

    async function save(): Promise<void> {
        if (!known || !changed) return;
        const plain = typed.replace(/[\s\u00a0]/g, '');
        const number = plain === '' ? 0 : Number(plain);
        const result = await updateWorld(known.world.name, {
            settings: { monthlyTokens: Number.isInteger(number) ? number : -1 },
        });
        setTrouble(result.ok ? null : result.trouble);
        if (!result.ok) return;
        setText(null);
        toast({
            text:
                number > 0
                    ? `${known.world.name} stops at ${grouped(number)} tokens a month.`
                    : `${known.world.name} has no limit now.`,
            kind: 'ok',
        });
        await refreshWorld();
    }
    const error = trouble && (fieldError(trouble, 'settings') ?? trouble.detail);
    return (
        <form
            class="settings-limit"
            onSubmit={e => {
                e.preventDefault();
                void save();
            }}
        >
            <Field
                label={`Monthly limit of ${known.world.name}, in tokens`}
                value={typed}
                onInput={setText}
                placeholder="none"
                error={error}
                disabled={state.value.readOnly}
                hint="Empty: no limit. At the limit, agents stop with a notice."
            />
            {changed && (
                <Button small type="submit">
                    Save
                </Button>
            )}
        </form>
    );
}
