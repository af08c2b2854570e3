// colour.ts: which parts of code are keywords, strings and so on. The library and each language are loaded
// when a message first needs them.

import type { HLJSApi, LanguageFn } from 'highlight.js';

export interface Piece {
    /** '' or the end of a class name of code.css */
    kind: string;
    text: string;
}

type Loader = () => Promise<{ default: LanguageFn }>;

const bash: Loader = () => import('highlight.js/lib/languages/bash');
const c: Loader = () => import('highlight.js/lib/languages/c');
const cpp: Loader = () => import('highlight.js/lib/languages/cpp');
const javascript: Loader = () => import('highlight.js/lib/languages/javascript');
const typescript: Loader = () => import('highlight.js/lib/languages/typescript');
const python: Loader = () => import('highlight.js/lib/languages/python');
const xml: Loader = () => import('highlight.js/lib/languages/xml');
const yaml: Loader = () => import('highlight.js/lib/languages/yaml');

const LANGUAGES: Record<string, Loader> = {
    bash,
    sh: bash,
    shell: bash,
    console: bash,
    c,
    h: c,
    cpp,
    'c++': cpp,
    css: () => import('highlight.js/lib/languages/css'),
    diff: () => import('highlight.js/lib/languages/diff'),
    go: () => import('highlight.js/lib/languages/go'),
    java: () => import('highlight.js/lib/languages/java'),
    javascript,
    js: javascript,
    jsx: javascript,
    json: () => import('highlight.js/lib/languages/json'),
    python,
    py: python,
    rust: () => import('highlight.js/lib/languages/rust'),
    sql: () => import('highlight.js/lib/languages/sql'),
    typescript,
    ts: typescript,
    tsx: typescript,
    xml,
    html: xml,
    svg: xml,
    yaml,
    yml: yaml,
};

const KINDS: Record<string, string> = {
    keyword: 'word',
    built_in: 'name',
    type: 'name',
    literal: 'value',
    number: 'value',
    string: 'text',
    regexp: 'text',
    comment: 'note',
    doctag: 'note',
    meta: 'note',
    title: 'title',
    section: 'title',
    attr: 'attr',
    attribute: 'attr',
    name: 'title',
    tag: 'word',
    addition: 'added',
    deletion: 'gone',
    symbol: 'value',
    variable: 'attr',
    property: 'attr',
};

interface Node {
    scope?: string;
    children: (Node | string)[];
}

let core: Promise<HLJSApi> | null = null;

async function ready(name: string): Promise<HLJSApi | null> {
    const load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
    if (!load) return null;
    core ??= import('highlight.js/lib/core').then(m => m.default);
    const hljs = await core;
    if (!hljs.getLanguage(name)) hljs.registerLanguage(name, (await load()).default);
    return hljs;
}

function flatten(node: Node, kind: string, out: Piece[]): void {
    for (const child of node.children) {
        if (typeof child !== 'string') {
            flatten(child, KINDS[child.scope?.split('.')[0] ?? ''] ?? kind, out);
            continue;
        }
        const last = out.at(-1);
        if (last && last.kind === kind) last.text += child;
        else out.push({ kind, text: child });
    }
}

/** null: the language is not known here. */
export async function coloured(name: string, text: string): Promise<Piece[] | null> {
    try {
        const hljs = await ready(name);
        if (!hljs) return null;
        // The tree behind the library's HTML: elements are made of it, and nothing has to be trusted.
        const emitter = hljs.highlight(text, { language: name, ignoreIllegals: true })._emitter;
        const out: Piece[] = [];
        flatten((emitter as unknown as { root: Node }).root, '', out);
        return out;
    } catch {
        return null;
    }
}
