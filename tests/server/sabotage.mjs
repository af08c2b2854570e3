// sabotage.mjs: makes the database fail where a test wants it to.
//
// SQLite is reached through Python's own library (Meson needs Python anyway), PostgreSQL by psql.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { kind } from './lib.mjs';

function pipe(program, args, input) {
    return new Promise((resolve, reject) => {
        const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
        let out = '', err = '';
        child.stdout.on('data', b => { out += b; });
        child.stderr.on('data', b => { err += b; });
        child.on('error', reject);
        child.on('close', code => code === 0 ? resolve(out.trim()) : reject(new Error(`${program}: ${err}`)));
        child.stdin.end(input);
    });
}

const python = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
for statement in sys.stdin.read().split(';;'):
    for row in db.execute(statement): print(*row)
`;

const holder = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
db.execute(sys.argv[2])
print('held')
sys.stdin.read()
db.rollback()
`;

const psql = `${process.env.SKEIN_PG_BIN ?? '/usr/lib/postgresql/15/bin'}/psql`;
// Where PostgreSQL has a server's store: the address of the database, and the schema.
const addressOf = store => store.args.find(a => a.startsWith('--db=')).slice(5).split('&skein_schema=');

// Runs SQL on a server's store; statements are separated by two semicolons.
export function sql(store, text) {
    if (kind === 'sqlite') return pipe('python3', ['-c', python, path.join(store.data, 'skein.db')], text);
    const [address, schema] = addressOf(store);
    return pipe(psql, ['-qAtX', '-v', 'ON_ERROR_STOP=1', address], `SET search_path = ${schema};${text.replaceAll(';;', ';')}`);
}

// Begins a transaction with this SQL in a program of its own and keeps it open; gives the way back.
async function hold(store, text) {
    const child = kind === 'sqlite'
        ? spawn('python3', ['-uc', holder, path.join(store.data, 'skein.db'), text])
        : spawn(psql, ['-qAtX', '-v', 'ON_ERROR_STOP=1', addressOf(store)[0]]);
    const ended = new Promise(resolve => child.on('close', resolve));
    let err = '';
    child.stderr.on('data', b => { err += b; });
    if (kind === 'pg') child.stdin.write(`SET search_path = ${addressOf(store)[1]};${text};SELECT 'held';\n`);
    await new Promise((resolve, reject) => {
        child.stdout.on('data', resolve);
        ended.then(() => reject(new Error(err)));
    });
    return () => {
        child.stdin.end();
        return ended;
    };
}

// Lets nobody write to the store of a server; reading goes on.
export const holdWrites = store =>
    hold(store, kind === 'sqlite' ? 'BEGIN IMMEDIATE' : 'BEGIN; LOCK TABLE conversations IN EXCLUSIVE MODE');

// Lets nobody make a store where there is none yet.
export function holdStart(store) {
    if (kind === 'sqlite') fs.mkdirSync(store.data);
    return hold(store, kind === 'sqlite' ? 'BEGIN EXCLUSIVE'
        : `BEGIN; DO $$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('skein schema ${addressOf(store)[1]}', 0)); END $$`);
}

// Lets every change that makes a version fail, with this SQLSTATE on PostgreSQL; gives the way back.
export async function breakRemovals(store, state = 'XX000') {
    if (kind === 'sqlite') {
        await sql(store, "CREATE TRIGGER sabotage BEFORE INSERT ON versions BEGIN SELECT RAISE(ABORT, 'sabotage'); END");
        return () => sql(store, 'DROP TRIGGER sabotage');
    }
    await sql(store, `CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'sabotage' USING ERRCODE = '${state}'; END $$;;
CREATE TRIGGER sabotage BEFORE INSERT ON versions FOR EACH ROW EXECUTE FUNCTION sabotage()`);
    return () => sql(store, 'DROP TRIGGER sabotage ON versions;; DROP FUNCTION sabotage');
}
