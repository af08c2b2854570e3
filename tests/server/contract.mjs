// contract.mjs: holds every answer and every event of the server against src/api/openapi.json.
//
// The document lets members be added; here one that it does not name is a mistake, so that it
// cannot fall behind the server. An answer whose path, method, status or type it does not have
// fails as well.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../peers/package.json', import.meta.url));
const { Ajv2020 } = require('ajv/dist/2020.js');
const addFormats = require('ajv-formats').default;

export const document = JSON.parse(fs.readFileSync(new URL('../../src/api/openapi.json', import.meta.url), 'utf8'));

const at = '#/components/schemas/';
const base = 'skein:';

// A schema as it is checked here. `whole`: nothing is added to it by an allOf around it, so that it
// may refuse what it does not name.
function tighten(schema, whole) {
    if (Array.isArray(schema)) return schema.map(s => tighten(s, whole));
    if (schema === null || typeof schema !== 'object') return schema;
    if (schema.$ref) {
        const name = schema.$ref.slice(at.length);
        return { $ref: `${base}${whole ? 'closed' : 'open'}/${name}` };
    }
    const out = {};
    for (const [key, value] of Object.entries(schema)) {
        if (key === 'properties' || key === '$defs') {
            out[key] = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, tighten(v, true)]));
        } else if (key === 'allOf') {
            out[key] = value.map(s => tighten(s, false));
        } else if (key === 'anyOf' || key === 'oneOf') {
            out[key] = value.map(s => tighten(s, whole));
        } else if (key === 'items' || key === 'additionalProperties') {
            out[key] = tighten(value, true);
        } else if (!key.startsWith('x-') && key !== 'examples') {
            out[key] = value;
        }
    }
    const object = out.properties || (out.allOf && whole);
    if (whole && object && out.additionalProperties === undefined) out.unevaluatedProperties = false;
    return out;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
addFormats(ajv);
for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(tighten(schema, true), `${base}closed/${name}`);
    ajv.addSchema(tighten(schema, false), `${base}open/${name}`);
}

const compiled = new Map();

function checkBody(schema, body, what) {
    if (!compiled.has(schema)) compiled.set(schema, ajv.compile(tighten(schema, true)));
    const fits = compiled.get(schema);
    if (fits(body)) return;
    const errors = fits.errors.slice(0, 8).map(e =>
        `  ${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`);
    throw new Error(`${what} does not fit the document:\n${errors.join('\n')}\n${JSON.stringify(body).slice(0, 3000)}`);
}

// --- Which operation it was -----------------------------------------------------------------

const prefixes = ['/api/v1', '/api', ''];
const templates = Object.keys(document.paths).map(path => ({ path, parts: path.split('/') }))
    // A word in the path is nearer than a parameter in the same place.
    .sort((a, b) => (a.path.match(/\{/g) ?? []).length - (b.path.match(/\{/g) ?? []).length);

function match(path) {
    const parts = path.split('/');
    const found = templates.find(t => t.parts.length === parts.length &&
        t.parts.every((p, i) => p === parts[i] || (p.startsWith('{') && parts[i] !== '')));
    return found?.path;
}

// The template of a path, whichever prefix it has.
export function route(url) {
    const path = url.split('?')[0];
    for (const prefix of prefixes)
        if (path.startsWith(`${prefix}/`)) {
            const found = match(path.slice(prefix.length));
            if (found) return found;
        }
    return undefined;
}

const resolve = x => x.$ref ? x.$ref.slice(2).split('/').reduce((o, k) => o[k], document) : x;

export const seen = new Set(); // "METHOD path status"

function checkHeaders(answer, what) {
    const id = answer.headers['x-request-id'];
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(id ?? '')) throw new Error(`${what}: X-Request-Id is ${id}`);
    if (!answer.headers['skein-version']) throw new Error(`${what}: no Skein-Version`);
    if (answer.text && answer.headers['x-content-type-options'] !== 'nosniff') throw new Error(`${what}: no nosniff`);
}

// A problem that no operation is responsible for: an unknown path, a method that is not there.
export function checkProblem(answer, what = 'the answer') {
    checkHeaders(answer, what);
    if (!/^application\/problem\+json/.test(answer.headers['content-type']))
        throw new Error(`${what}: type is ${answer.headers['content-type']}: ${answer.text?.slice(0, 300)}`);
    checkBody(document.components.schemas.Problem, answer.body, what);
    if (answer.body.status !== answer.status) throw new Error(`${what}: status ${answer.status} says ${answer.body.status}`);
    if (answer.body.requestId !== answer.headers['x-request-id']) throw new Error(`${what}: another requestId in body and header`);
    const { retryable, retryAfterMs } = answer.body;
    if (!retryable && (retryAfterMs !== undefined || answer.headers['retry-after'])) throw new Error(`${what}: when to ask again, but not whether`);
    if (retryable && [423, 429, 503].includes(answer.status) && !answer.headers['retry-after']) throw new Error(`${what}: no Retry-After`);
    if (retryable && answer.status !== 412 && !(retryAfterMs > 0)) throw new Error(`${what}: may be asked again, but not when`);
}

// Holds an answer against its operation. `answer`: status, headers, text, body (parsed JSON).
export function check(method, url, answer) {
    const what = `${method} ${url} ${answer.status}`;
    const path = route(url);
    if (!path) throw new Error(`${what}: the document has no such path`);
    const operation = document.paths[path][(method === 'HEAD' ? 'GET' : method).toLowerCase()];
    if (!operation) throw new Error(`${what}: the document has no such method`);
    const entry = operation.responses[answer.status];
    if (!entry) throw new Error(`${what}: the document has no such status: ${answer.text?.slice(0, 600)}`);
    const response = resolve(entry);
    seen.add(`${method} ${path} ${answer.status}`);
    checkHeaders(answer, what);
    for (const [header, object] of Object.entries(response.headers ?? {}))
        if (resolve(object).required && answer.headers[header.toLowerCase()] === undefined) throw new Error(`${what}: no ${header}`);
    for (const header of ['ETag', 'Link', 'Location', 'Retry-After'])
        if (answer.headers[header.toLowerCase()] !== undefined && !response.headers?.[header]) throw new Error(`${what}: the document has no ${header}`);
    if (method === 'HEAD') return;
    if (!response.content) {
        if (answer.text) throw new Error(`${what}: the document has no body: ${answer.text.slice(0, 300)}`);
        return;
    }
    const type = (answer.headers['content-type'] ?? '').split(';')[0];
    const media = response.content[type];
    if (!media) throw new Error(`${what}: the document has no type "${type}": ${answer.text?.slice(0, 300)}`);
    if (type === 'application/problem+json') checkProblem(answer, what);
    else if (type === 'application/json') checkBody(media.schema, answer.body, what);
}

// Holds a request that succeeded against its operation: what it says must be described as well.
export function checkRequest(method, url, body) {
    const operation = document.paths[route(url)][(method === 'HEAD' ? 'GET' : method).toLowerCase()];
    const what = `the request ${method} ${url}`;
    const known = (operation.parameters ?? []).map(resolve);
    for (const name of new URLSearchParams(url.split('?')[1] ?? '').keys())
        if (!known.some(p => p.in === 'query' && p.name === name)) throw new Error(`${what}: the document has no parameter "${name}"`);
    if (body === undefined) return;
    const media = operation.requestBody?.content['application/json'];
    if (!media) throw new Error(`${what}: the document has no body`);
    checkBody(media.schema, body, what);
}

// --- Events ------------------------------------------------------------------------------------

export const eventsSeen = new Set();
const { Event } = document.components.schemas;
const outer = { ...Event, properties: { ...Event.properties, data: { type: 'object' } } };

// Holds a frame of a stream against the schemas Event and event.NAME.
export function checkEvent(frame) {
    const schema = document.components.schemas[`event.${frame.event}`];
    const what = `event ${frame.event} ${frame.id ?? ''}`;
    if (!schema) throw new Error(`${what}: the document has no such event: ${frame.data}`);
    eventsSeen.add(frame.event);
    if (schema['x-durable'] !== 'mostly' && schema['x-durable'] !== (frame.id !== undefined))
        throw new Error(`${what}: ${schema['x-durable'] ? 'has no id' : 'has an id'}`);
    const body = frame.body;
    if (frame.id !== undefined && String(body.seq) !== frame.id) throw new Error(`${what}: seq is ${body.seq}`);
    if (frame.id === undefined && body.seq !== undefined) throw new Error(`${what}: volatile, but seq is ${body.seq}`);
    checkBody(outer, body, what);
    checkBody(schema, body.data, what);
}
