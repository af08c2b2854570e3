import { Checkbox, Radios } from '../../parts/parts';
import { prefs, setPref, type Prefs } from '../../store/prefs';

const here = <p class="muted">These are kept in this browser.</p>;

export function AppearanceTab() {
    const p = prefs.value;
    return (
        <div class="settings-form">
            {here}
            <Radios
                label="Theme"
                value={p.theme}
                onPick={v => setPref('theme', v as Prefs['theme'])}
                options={[
                    { value: 'system', label: 'As the system' },
                    { value: 'light', label: 'Light' },
                    { value: 'dark', label: 'Dark' },
                ]}
            />
            <Radios
                label="Contrast"
                value={p.contrast}
                onPick={v => setPref('contrast', v as Prefs['contrast'])}
                options={[
                    { value: 'system', label: 'As the system' },
                    { value: 'more', label: 'More' },
                ]}
            />
            <Radios
                label="Text size"
                value={p.textSize}
                onPick={v => setPref('textSize', v as Prefs['textSize'])}
                options={[
                    { value: 'normal', label: 'Normal' },
                    { value: 'large', label: 'Large' },
                    { value: 'larger', label: 'Larger' },
                ]}
            />
            <Checkbox
                label="Calm mode"
                checked={p.calm}
                onChange={v => setPref('calm', v)}
                hint="Nothing moves by itself: no cursor that blinks, no smooth scrolling. The setting of the system for less movement does the same."
            />
            <Radios
                label="What is read out of an answer"
                value={p.announce}
                onPick={v => setPref('announce', v as Prefs['announce'])}
                options={[
                    { value: 'all', label: 'The whole answer' },
                    { value: 'first', label: 'Its first sentence' },
                    { value: 'done', label: 'Only that it is finished' },
                    { value: 'off', label: 'Nothing' },
                ]}
            />
            <Checkbox
                label="Hide messages that are only in memory"
                checked={p.hideInMemory}
                onChange={v => setPref('hideInMemory', v)}
            />
        </div>
    );
}
