// curl.ts: a call as a command that can be run again. Keys are never known here: the variable that holds one is named.

interface Wire {
    path: string;
    headers: string[];
}

const WIRES: Record<string, Wire> = {
    anthropic: {
        path: '/v1/messages',
        headers: ['x-api-key: $ANTHROPIC_API_KEY', 'anthropic-version: 2023-06-01'],
    },
    openai: { path: '/chat/completions', headers: ['Authorization: Bearer $OPENAI_API_KEY'] },
    'openai-compatible': { path: '/chat/completions', headers: ['Authorization: Bearer $API_KEY'] },
    'openai-responses': { path: '/responses', headers: ['Authorization: Bearer $OPENAI_API_KEY'] },
    ollama: { path: '/api/chat', headers: [] },
};

const USUAL: Record<string, string> = {
    anthropic: 'https://api.anthropic.com',
    openai: 'https://api.openai.com/v1',
    'openai-responses': 'https://api.openai.com/v1',
    ollama: 'http://127.0.0.1:11434',
};

/** Inside single quotes of a shell. */
function quoted(text: string): string {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** null: nothing was sent anywhere, as by the scripted demo. */
export function asCurl(type: string, baseUrl: string | null, request: unknown): string | null {
    const wire = WIRES[type];
    const base = baseUrl ?? USUAL[type];
    if (!wire || !base) return null;
    const lines = [
        `curl ${quoted(base.replace(/\/$/, '') + wire.path)}`,
        `-H 'Content-Type: application/json'`,
    ];
    // In double quotes, so that the shell puts the key in.
    for (const header of wire.headers) lines.push(`-H "${header}"`);
    lines.push(`-d ${quoted(typeof request === 'string' ? request : JSON.stringify(request))}`);
    return lines.join(' \\\n  ');
}
