import { Checkbox, Radios } from '../../parts/parts';
import { prefs, setPref, type Prefs } from '../../store/prefs';

type Choices = 'theme' | 'contrast' | 'textSize' | 'announce';

/** A preference that is one of a few words, and what each is called. */
function Choice<K extends Choices>({
    name,
    label,
    of,
}: {
    name: K;
    label: string;
    of: Record<Prefs[K], string>;
}) {
    const options = (Object.entries(of) as [Prefs[K], string][]).map(([value, text]) => ({
        value,
        label: text,
    }));
    return (
        <Radios
            label={label}
            value={prefs.value[name]}
            onPick={v => setPref(name, v as Prefs[K])}
            options={options}
        />
    );
}

export function AppearanceTab() {
    const p = prefs.value;
    return (
        <div class="settings-form settings-choices">
            <p class="muted">These settings are saved in this browser.</p>
            <Choice
                name="theme"
                label="Theme"
                of={{ system: 'As the system', light: 'Light', dark: 'Dark' }}
            />
            <Choice name="contrast" label="Contrast" of={{ system: 'As the system', more: 'More' }} />
            <Choice
                name="textSize"
                label="Text size"
                of={{ normal: 'Normal', large: 'Large', larger: 'Larger' }}
            />
            <Checkbox
                label="Calm mode"
                checked={p.calm}
                onChange={v => setPref('calm', v)}
                hint="No animation: no blinking cursor, no smooth scrolling. The system setting for reduced motion does the same."
            />
            <Choice
                name="announce"
                label="Answers read aloud"
                of={{
                    all: 'The whole answer',
                    first: 'Its first sentence',
                    done: 'Only that it is finished',
                    off: 'Nothing',
                }}
            />
            <Checkbox
                label="Hide messages that are only in memory"
                checked={p.hideInMemory}
                onChange={v => setPref('hideInMemory', v)}
            />
        </div>
    );
}
