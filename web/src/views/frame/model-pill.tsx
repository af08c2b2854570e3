import { Icon } from '../../parts/parts';
import { href } from '../../store/place';
import { chat, world } from '../../store/store';
import { useDefaultModel } from '../shared/default-model';
import { worldModel } from './states';

function lastModel(): string | null {
    const rows = chat.value?.rows ?? [];
    return rows.findLast(row => row.model !== null)?.model ?? null;
}

/** The model that answers here, one press from the place where it is changed. */
export function ModelPill() {
    const usual = useDefaultModel();
    if (!world.value) return null;
    const name = worldModel(world.value, usual ?? lastModel());
    return (
        <a
            class="frame-pill frame-model"
            href={href({ kind: 'settings', tab: 'models' })}
            aria-label={`Model: ${name}. Change`}
            title={`Model: ${name} (m)`}
        >
            <Icon name="sparkle" />
            <span class="frame-model-word">{name}</span>
            <Icon name="chevronDown" />
        </a>
    );
}
