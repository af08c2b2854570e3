// sabotage.mjs: makes the database fail where a test wants it to.
//
// SQLite is reached through Python's own library (Meson needs Python anyway), PostgreSQL by psql.
import { spawn } from 'node:child_process';
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

// Runs SQL on a server's store; statements are separated by two semicolons.
export function sql(store, text) {
    if (kind === 'sqlite') return pipe('python3', ['-c', python, path.join(store.data, 'skein.db')], text);
    const [address, schema] = store.args.find(a => a.startsWith('--db=')).slice(5).split('&skein_schema=');
    const psql = `${process.env.SKEIN_PG_BIN ?? '/usr/lib/postgresql/15/bin'}/psql`;
    return pipe(psql, ['-qAtX', '-v', 'ON_ERROR_STOP=1', address], `SET search_path = ${schema};${text.replaceAll(';;', ';')}`);
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
