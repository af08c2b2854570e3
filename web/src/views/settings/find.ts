// find.ts: what the settings hold, so that one box finds the tab.

export interface Known {
    tab: string;
    label: string;
    words: string;
}

export const TABS = [
    { id: 'models', label: 'Models' },
    { id: 'appearance', label: 'Appearance' },
    { id: 'keyboard', label: 'Keyboard' },
    { id: 'notifications', label: 'Notifications' },
    { id: 'data', label: 'Data' },
    { id: 'security', label: 'Security' },
    { id: 'about', label: 'About' },
] as const;

const KNOWN: Known[] = [
    {
        tab: 'models',
        label: 'Providers',
        words: 'connect key api openai anthropic ollama test remove look again',
    },
    { tab: 'models', label: 'Default model', words: 'auto choose' },
    { tab: 'models', label: 'Monthly limit', words: 'tokens budget cost money' },
    { tab: 'appearance', label: 'Theme', words: 'dark light colour color system' },
    { tab: 'appearance', label: 'Contrast', words: 'high more accessibility' },
    { tab: 'appearance', label: 'Text size', words: 'font large zoom' },
    { tab: 'appearance', label: 'Calm mode', words: 'motion animation movement pause' },
    { tab: 'appearance', label: 'Answers read aloud', words: 'announce screen reader speech' },
    { tab: 'appearance', label: 'Hide messages that are only in memory', words: 'in-memory' },
    { tab: 'keyboard', label: 'Single keys act', words: 'shortcuts off switch' },
    { tab: 'keyboard', label: 'Enter sends', words: 'message box new line ctrl' },
    { tab: 'keyboard', label: 'Change keys', words: 'shortcuts remap clash' },
    { tab: 'notifications', label: 'Notifications', words: 'browser away permission' },
    { tab: 'data', label: 'Sizes', words: 'worlds messages conversations' },
    { tab: 'data', label: 'Export, backup', words: 'download archive markdown json' },
    { tab: 'data', label: 'Import', words: 'upload agent-world archive' },
    { tab: 'data', label: 'Folder', words: 'directory where kept disk' },
    { tab: 'security', label: 'Who can connect', words: 'listen address loopback computer network' },
    { tab: 'security', label: 'Token', words: 'sign in password log out' },
    { tab: 'about', label: 'Version', words: 'program health' },
    { tab: 'about', label: 'Licences', words: 'license open source' },
    { tab: 'about', label: 'The HTTP API', words: 'documentation openapi' },
];

export function findSettings(text: string): Known[] {
    const wanted = text
        .toLowerCase()
        .split(/\s+/)
        .filter(w => w !== '');
    if (wanted.length === 0) return [];
    return KNOWN.filter(k => wanted.every(w => `${k.tab} ${k.label} ${k.words}`.toLowerCase().includes(w)));
}
