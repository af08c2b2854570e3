// Settings: of the server, and of this browser. Each value says where it comes from.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { listProviders, version } from '../../api/calls';
import type { ProviderList, Settings, Version } from '../../api/types';
import { Banner, Empty, Field } from '../../parts/parts';
import { place } from '../../store/place';
import { prefs } from '../../store/prefs';
import { state } from '../../store/store';
import { asksModels } from '../agents/models';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { useNarrow } from '../shared/narrow';
import { count } from '../shared/words';
import { AboutTab } from './about-tab';
import { AppearanceTab } from './appearance-tab';
import { DataTab } from './data-tab';
import { findSettings, TABS } from './find';
import { KeyboardTab } from './keyboard-tab';
import { ModelsTab } from './models-tab';
import { NotificationsTab } from './notifications-tab';
import { isHere, standing } from './provider-words';
import { SecurityTab } from './security-tab';
import { entryOf, useSettings } from './settings-data';
import './settings.css';

/** What a tab says of itself in the list on narrow screens. failing: providers that do not answer. */
export function summary(tab: string, settings: Settings | null, version: string, failing: number): string {
    const p = prefs.value;
    const problems = (settings?.configuration.problems.length ?? 0) + failing;
    if (tab === 'models') return problems > 0 ? count(problems, 'problem') : defaultModel(settings);
    if (tab === 'security' && settings) return reachedFrom(settings);
    if (tab === 'about') return version;
    if (tab === 'appearance') return p.theme;
    if (tab === 'keyboard') return p.keys ? 'on' : 'single keys off';
    if (tab === 'notifications') return p.notify ? 'only away' : 'off';
    if (tab === 'data') return count(state.value.worlds.length, 'world');
    return '';
}

const valueOf = (settings: Settings | null, name: string): string =>
    String(entryOf(settings, name)?.value ?? '');
const defaultModel = (settings: Settings | null): string => valueOf(settings, 'defaults.model');
const reachedFrom = (settings: Settings): string =>
    isHere(valueOf(settings, 'server.listen')) ? 'this computer' : 'other computers too';

/** On a phone the list is as long as the screen: the part that was picked comes into view. */
function useTitleInView(tab: string, narrow: boolean) {
    const title = useRef<HTMLHeadingElement>(null);
    const before = useRef(tab);
    useLayoutEffect(() => {
        if (before.current !== tab && narrow) title.current?.scrollIntoView();
        before.current = tab;
    }, [tab]);
    return title;
}

export function SettingsView() {
    const here = place.value;
    const asked = here.kind === 'settings' ? here.tab : 'models';
    const tab = TABS.find(t => t.id === asked) ?? TABS[0];
    const [find, setFind] = useState('');
    const settings = useSettings();
    const narrow = useNarrow();
    const about = useLoad<Version>(narrow ? 'version' : null, signal => version({ signal }));
    const providers = useLoad<ProviderList>(
        narrow && asksModels() ? 'providers' : null,
        signal => listProviders({ limit: 200 }, { signal }),
        state.value.providersTick,
    );
    const failing = providers.value?.data.filter(p => standing(p).shape === '✕').length ?? 0;
    const title = useTitleInView(tab.id, narrow);
    const problems = settings.value?.configuration.problems ?? [];
    return (
        <div class="settings">
            <header class="settings-top">
                <h1>Settings</h1>
                <Field
                    label="Find a setting"
                    hideLabel
                    type="search"
                    placeholder="Find"
                    value={find}
                    onInput={setFind}
                />
            </header>
            <nav class="settings-nav" aria-label="Parts of the settings">
                {TABS.map(t => (
                    <Link key={t.id} to={{ kind: 'settings', tab: t.id }} current={t.id === tab.id} replace>
                        {t.label}
                        <span class="settings-summary">
                            {summary(t.id, settings.value, about.value?.version ?? '', failing)}
                        </span>
                    </Link>
                ))}
            </nav>
            {state.value.readOnly && (
                <Banner kind="info">This server is read only: its settings cannot be changed.</Banner>
            )}
            {problems.length > 0 && (
                <Banner kind="warn">The configuration has problems: {problems.join('; ')}</Banner>
            )}
            {find.trim() !== '' ? (
                <FoundSettings find={find} onPick={() => setFind('')} />
            ) : (
                <div class="settings-tab" key={tab.id}>
                    <h2 ref={title} class={narrow ? 'settings-title' : 'visually-hidden'}>
                        {tab.label}
                    </h2>
                    {tab.id === 'models' && <ModelsTab />}
                    {tab.id === 'appearance' && <AppearanceTab />}
                    {tab.id === 'keyboard' && <KeyboardTab />}
                    {tab.id === 'notifications' && <NotificationsTab />}
                    {tab.id === 'data' && <DataTab settings={settings.value} />}
                    {tab.id === 'security' && <SecurityTab settings={settings.value} />}
                    {tab.id === 'about' && <AboutTab settings={settings.value} />}
                </div>
            )}
        </div>
    );
}

function FoundSettings({ find, onPick }: { find: string; onPick: () => void }) {
    const found = findSettings(find);
    if (found.length === 0)
        return (
            <Empty>
                <p>No setting has "{find}".</p>
            </Empty>
        );
    return (
        <ul class="settings-found">
            {found.map(k => (
                <li key={k.tab + k.label} onClick={onPick}>
                    <Link to={{ kind: 'settings', tab: k.tab }}>{k.label}</Link>
                    <span class="muted">{TABS.find(t => t.id === k.tab)?.label}</span>
                </li>
            ))}
        </ul>
    );
}
