import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/parts';
import { href } from '../../store/place';
import { chat, refreshWorld, state, world } from '../../store/store';
import { answererLines, answererWords, answerers } from '../shared/answering';

function lastModel(): string | null {
    const rows = chat.value?.rows ?? [];
    return rows.findLast(row => row.model !== null)?.model ?? null;
}

/** The server is asked again when something shows that it may choose otherwise now: there is no event for that. */
function useFreshAnswerers(): void {
    const models = Object.values(world.value?.agents ?? {}).map(
        agent => `${agent.name} ${agent.model} ${agent.paused}`,
    );
    const last = lastModel();
    const strange = last !== null && !answerers()?.some(one => one.model === last) ? last : '';
    const reasons = [state.value.providersTick, models.join(), strange].join('|');
    const open = state.value.open;
    const before = useRef({ open, reasons });
    useEffect(() => {
        const isSame = before.current.open === open;
        const isNew = before.current.reasons !== reasons;
        before.current = { open, reasons };
        if (isSame && isNew && open !== null) void refreshWorld();
    }, [open, reasons]);
    useEffect(() => {
        const look = () => void (state.peek().open !== null && refreshWorld());
        addEventListener('focus', look);
        return () => removeEventListener('focus', look);
    }, []);
}

/** The model that answers here and where it runs, one press from the place where it is changed. */
export function ModelPill() {
    useFreshAnswerers();
    const all = answerers();
    if (!world.value) return null;
    const { model, where } = all ? answererWords(all) : { model: 'no model', where: 'read only' };
    return (
        <a
            class="frame-pill frame-model"
            href={href({ kind: 'settings', tab: 'models' })}
            aria-label={`Model: ${model}, ${where}. Change`}
            title={all ? answererLines(all) : undefined}
        >
            <Icon name="sparkle" />
            <span class="frame-model-word">{where ? `${model} · ${where}` : model}</span>
            <Icon name="chevronDown" />
        </a>
    );
}
