import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as calls from '../../src/api/calls';

interface Document {
    paths: Record<string, Record<string, { operationId: string }>>;
}

// Pages, streams, and what has another name that does the same.
const NOT_CALLED = new Set([
    'start',
    'livez',
    'readyz',
    'metrics',
    'openapi',
    'docs',
    'problem',
    'listConversations',
    'createConversation',
    'streamEvents',
    'streamWorldEvents',
    'page',
    'asset',
    'plain',
    'plainWorld',
]);

test('there is a function for every route of the server, and none for another', () => {
    const document = JSON.parse(
        readFileSync(join(import.meta.dirname, '../../../src/api/openapi.json'), 'utf8'),
    ) as Document;
    const operations = Object.values(document.paths)
        .flatMap(p => Object.values(p))
        .map(o => o.operationId);
    const wanted = operations.filter(id => id && !NOT_CALLED.has(id));
    expect(Object.keys(calls).sort()).toEqual(wanted.sort());
});
