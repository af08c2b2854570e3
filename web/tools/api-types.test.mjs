import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { typeName, typeOf, typesOf } from './api-types.mjs';

const web = resolve(import.meta.dirname, '..');
const api = JSON.parse(readFileSync(join(web, '../src/api/openapi.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'api-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('every schema of the API has one exported type', () => {
    const text = typesOf(api);
    const exported = [...text.matchAll(/^export type (\w+) = /gm)].map(found => found[1]);
    const schemas = Object.keys(api.components.schemas);
    expect(schemas.length).toBeGreaterThan(100);
    expect(exported).toEqual([...schemas.map(typeName), 'EventData']);
});

test('every event that the API names has its data', () => {
    const [, rows] = typesOf(api).match(/export type EventData = \{\n([^}]*)\}/);
    const names = [...rows.matchAll(/^ {2}"([^"]+)": /gm)].map(found => found[1]);
    expect(names.sort()).toEqual([...api.components.schemas.Event.properties.type.enum].sort());
});

test('names with dots become one word', () => {
    expect(typeName('event.message.created')).toBe('EventMessageCreated');
    expect(typeName('World')).toBe('World');
});

test('the shapes of a schema', () => {
    expect(typeOf({ $ref: '#/components/schemas/event.job.finished' })).toBe('EventJobFinished');
    expect(typeOf({ type: ['string', 'null'] })).toBe('string | null');
    expect(typeOf({ type: ['string', 'null'], enum: ['ok', null] })).toBe('"ok" | null');
    expect(typeOf({ const: 'x' })).toBe('"x"');
    expect(typeOf({ type: 'integer' })).toBe('number');
    expect(typeOf({})).toBe('unknown');
    expect(typeOf({ type: 'array', items: { type: ['string', 'null'] } })).toBe('(string | null)[]');
    expect(typeOf({ type: 'object', additionalProperties: { type: 'integer' } })).toBe(
        'Record<string, number>',
    );
    expect(typeOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe('string | null');
    expect(typeOf({ oneOf: [{ type: 'string' }, { type: 'number' }] })).toBe('string | number');
    expect(
        typeOf({
            type: 'object',
            required: ['a'],
            properties: { a: { type: 'string' }, 'b-c': { type: 'boolean', description: 'why' } },
        }),
    ).toBe('{\n  a: string\n  /** why */\n  "b-c"?: boolean\n}');
});

test('a part of allOf may demand what another part names', () => {
    const both = {
        allOf: [
            { $ref: '#/components/schemas/Message' },
            { type: 'object', properties: { x: { type: 'string' } }, required: ['x', 'delivery'] },
        ],
    };
    expect(typeOf(both)).toBe('Message & {\n  x: string\n} & Required<Pick<Message, "delivery">>');
});

test('what cannot be said is refused', () => {
    expect(() => typeOf({ type: 'tuple' })).toThrow('no TypeScript type for "tuple"');
    expect(() => typeOf({ $ref: 'other.json#/X' })).toThrow('cannot follow');
    expect(() => typesOf({ components: { schemas: { 'a.b': {}, AB: {} } } })).toThrow('both called AB');
});

test('what comes out is TypeScript that means the same', () => {
    writeFileSync(join(folder, 'api.ts'), typesOf(api));
    const use = `import type { EventData, Message, PostedMessage } from './api'
const posted = {} as PostedMessage
export const waits: boolean = posted.queued
export const who: NonNullable<Message['delivery']> = posted.delivery
export const said: string = ({} as EventData['message.created']).content
// @ts-expect-error a role is one of a few words
export const role: Message['role'] = 'nobody'
`;
    writeFileSync(join(folder, 'use.ts'), use);
    const tsc = join(web, 'node_modules/typescript/bin/tsc');
    const run = () =>
        execFileSync(
            process.execPath,
            [tsc, '--noEmit', '--strict', '--ignoreConfig', join(folder, 'use.ts')],
            { encoding: 'utf8' },
        );
    expect(run()).toBe('');
});
