// api-types.mjs: TypeScript types from the OpenAPI document of the server.
//
//   node tools/api-types.mjs [OPENAPI.json [OUT.ts]]
//
// One exported type for each of components/schemas; `event.message.created` becomes
// EventMessageCreated. EventData maps the name of an event to the type of its data.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const reference = '#/components/schemas/';

export const typeName = schema =>
    schema
        .split(/[^A-Za-z0-9]+/)
        .filter(Boolean)
        .map(part => part[0].toUpperCase() + part.slice(1))
        .join('');

const key = name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const union = types => [...new Set(types)].join(' | ') || 'never';
// A union or an intersection inside of something that binds tighter.
const grouped = type => (/[|&]/.test(type) ? `(${type})` : type);

function comment(text, indent) {
    if (!text) return '';
    const lines = text.replaceAll('*/', '*\\/').split('\n');
    if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
    return `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function objectType(schema, indent) {
    const required = new Set(schema.required ?? []);
    const inner = indent + '  ';
    const types = [];
    const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const type = typeOf(property, inner);
        types.push(type, ...(required.has(name) ? [] : ['undefined']));
        return `${comment(property.description, inner)}${inner}${key(name)}${required.has(name) ? '' : '?'}: ${type}\n`;
    });
    const more = schema.additionalProperties;
    if (more) {
        // An index signature must hold for the named properties too.
        const type = more === true ? 'unknown' : union([typeOf(more, inner), ...types]);
        if (!lines.length) return `Record<string, ${type}>`;
        lines.push(`${inner}[name: string]: ${type}\n`);
    }
    if (!lines.length) return 'Record<string, unknown>';
    return `{\n${lines.join('')}${indent}}`;
}

// What a part of allOf demands of properties that another part names.
function demanded(parts) {
    const bases = parts.filter(part => part.$ref);
    const own = new Set(parts.flatMap(part => Object.keys(part.properties ?? {})));
    const names = [...new Set(parts.flatMap(part => part.required ?? []))].filter(name => !own.has(name));
    if (!names.length || bases.length !== 1) return [];
    return [
        `Required<Pick<${typeOf(bases[0], '')}, ${names.map(name => JSON.stringify(name)).join(' | ')}>>`,
    ];
}

function plainType(type, schema, indent) {
    switch (type) {
        case 'string':
        case 'boolean':
        case 'null':
            return type;
        case 'integer':
        case 'number':
            return 'number';
        case 'array':
            return schema.items ? `${grouped(typeOf(schema.items, indent))}[]` : 'unknown[]';
        case 'object':
            return objectType(schema, indent);
        default:
            throw new Error(`api-types: no TypeScript type for ${JSON.stringify(type)}`);
    }
}

export function typeOf(schema, indent = '') {
    if (schema === true) return 'unknown';
    if (schema.$ref) {
        if (!schema.$ref.startsWith(reference)) throw new Error(`api-types: cannot follow ${schema.$ref}`);
        return typeName(schema.$ref.slice(reference.length));
    }
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.enum) return union(schema.enum.map(value => JSON.stringify(value)));
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return union(either.map(part => typeOf(part, indent)));
    if (schema.allOf) {
        return [...schema.allOf.map(part => grouped(typeOf(part, indent))), ...demanded(schema.allOf)].join(
            ' & ',
        );
    }
    const type = schema.type ?? (schema.properties ? 'object' : undefined);
    if (type === undefined) return 'unknown';
    return union([type].flat().map(one => plainType(one, schema, indent)));
}

export function typesOf(document) {
    const schemas = document.components.schemas;
    const taken = new Map();
    let text = '// Made by tools/api-types.mjs from src/api/openapi.json; changes here are lost.\n';
    for (const [schema, what] of Object.entries(schemas)) {
        const name = typeName(schema);
        if (taken.has(name))
            throw new Error(`api-types: ${schema} and ${taken.get(name)} are both called ${name}`);
        taken.set(name, schema);
        text += `\n${comment(what.description, '')}export type ${name} = ${typeOf(what)}\n`;
    }
    const events = Object.keys(schemas).filter(schema => schema.startsWith('event.'));
    const rows = events.map(
        schema => `  ${JSON.stringify(schema.slice('event.'.length))}: ${typeName(schema)}\n`,
    );
    return `${text}\n/** What each event carries, by its name. */\nexport type EventData = {\n${rows.join('')}}\n`;
}

function main() {
    const web = resolve(dirname(fileURLToPath(import.meta.url)), '..');
    const from = process.argv[2] ?? resolve(web, '../src/api/openapi.json');
    const to = process.argv[3] ?? resolve(web, 'gen/api.ts');
    const text = typesOf(JSON.parse(readFileSync(from, 'utf8')));
    let before = '';
    try {
        before = readFileSync(to, 'utf8');
    } catch {
        // The first time there is none.
    }
    if (text === before) return; // its time is what rebuilds depend on
    mkdirSync(dirname(to), { recursive: true });
    // In one step, since several builds may do this at once.
    const part = `${to}.${process.pid}`;
    writeFileSync(part, text);
    renameSync(part, to);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main();
