// page.mjs: the web page as a browser gets it: its files, its addresses, its policy, and the plain page for
// browsers without JavaScript.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Server, assert, finish, folder, test, within } from './lib.mjs';
import { checkProblem } from './contract.mjs';
import { team } from './team.mjs';

const server = await Server.start({ script: team() });
const secret = 'the-token-of-the-page-4c1d';
const tokenFile = path.join(folder, 'token');
fs.writeFileSync(tokenFile, `${secret}\n`, { mode: 0o600 });
const guarded = await Server.start({ script: team(), token: secret, args: [`--token-file=${tokenFile}`] });

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const gzip = { 'accept-encoding': 'gzip, deflate, br' };
const get = (url, headers = {}, s = server) => s.request('GET', url, { headers });
const index = await get('/', browser);

// What a page names: [attribute, address].
const references = html => [...html.matchAll(/\b(src|href)="([^"]*)"/g)].map(m => [m[1], m[2]]);
// Every file of the page, found by following what files name, from index.html on.
async function files() {
    const found = new Map([['/', index]]), waiting = references(index.text).map(r => r[1]).filter(u => u.startsWith('/assets/'));
    while (waiting.length) {
        const url = waiting.pop();
        if (found.has(url)) continue;
        const file = await get(url);
        assert.equal(file.status, 200, url);
        found.set(url, file);
        if (/css|javascript/.test(file.headers['content-type']))
            for (const m of file.text.matchAll(/["'`(]((?:\.?\/)?assets\/|\.\/)([\w.-]+\.(?:js|css|svg|png|woff2))["'`)]/g)) waiting.push(`/assets/${m[2]}`);
    }
    return found;
}
const isPage = (r, url) => {
    assert.equal(r.status, 200, url);
    assert.match(r.headers['content-type'], /^text\/html/, url);
    assert.equal(r.text, index.text, url);
};

test('the page is there, and names its files', async () => {
    assert.equal(index.status, 200);
    assert.match(index.headers['content-type'], /^text\/html; charset=utf-8$/);
    assert.match(index.text, /<div id="app">/);
    assert.match(index.text, /<noscript>[^]*href="\/plain"[^]*<\/noscript>/);
    assert.ok(references(index.text).some(([a, u]) => a === 'src' && /^\/assets\/[\w-]+-[\w-]{8}\.js$/.test(u)));
    for (const [, url] of references(index.text)) assert.equal((await get(url, browser)).status, 200, url);
});

test('a policy lets it do nothing but what it came with', async () => {
    const policy = Object.fromEntries(index.headers['content-security-policy'].split(';').map(d => d.trim().split(/ (.*)/s).slice(0, 2)));
    assert.deepEqual(policy, {
        'default-src': "'self'", 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self' data:", 'connect-src': "'self'", 'object-src': "'none'",
        'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'", 'require-trusted-types-for': "'script'", 'trusted-types': "'none'",
    });
    assert.equal(index.headers['x-content-type-options'], 'nosniff');
    assert.equal(index.headers['referrer-policy'], 'no-referrer');
    assert.equal(index.headers['cross-origin-opener-policy'], 'same-origin');
    assert.match(index.headers['permissions-policy'], /camera=\(\).*microphone=\(\)/);
    // So it must have nothing in it that the policy forbids.
    assert.doesNotMatch(index.text, /<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:/i);
    for (const url of ['/docs', '/plain', '/problems/validation'])
        assert.equal((await get(url)).headers['content-security-policy'], index.headers['content-security-policy'], url);
});

test('no file names another host', async () => {
    // Namespaces of XML, what libraries say about themselves in errors, and addresses of models that the page only shows, made-up ones among them.
    const names = /https?:\/\/(www\.w3\.org\/|preactjs\.com|github\.com|api\.openai\.com|api\.anthropic\.com|[a-z.]*example\.org)/g;
    for (const [url, file] of await files()) {
        if (!/^(text|image\/svg)/.test(file.headers['content-type'])) continue;
        const hosts = [...file.text.replace(names, '').matchAll(/(?:https?:)?\/\/[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b[^\s"'`]*/gi)].map(m => m[0]);
        assert.deepEqual(hosts.filter(h => /^https?:/.test(h) || /text\/html|css/.test(file.headers['content-type'])), [], url);
    }
});

test('files are kept for ever, the page is asked for again', async () => {
    assert.equal(index.headers['cache-control'], 'no-cache');
    assert.equal(index.headers.vary, 'Accept, Accept-Encoding');
    for (const [url, file] of await files()) {
        assert.ok(file.headers.etag, url);
        if (url === '/') continue;
        assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable', url);
        assert.equal(file.headers.vary, 'Accept-Encoding', url);
        assert.equal(file.headers['x-content-type-options'], 'nosniff', url);
    }
});

test('types are those of the files', async () => {
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml', png: 'image/png', woff2: 'font/woff2' };
    const seen = new Set();
    for (const [url, file] of await files()) {
        if (url === '/') continue;
        const kind = url.split('.').pop();
        seen.add(kind);
        assert.equal(file.headers['content-type'], types[kind], url);
    }
    assert.ok(seen.has('js') && seen.has('svg'), [...seen].join());
});

test('compressed and plain bodies are the same, and each client gets what it takes', async () => {
    let smaller = 0;
    for (const [url, plain] of await files()) {
        assert.equal(plain.headers['content-encoding'], undefined, url);
        const packed = await get(url, gzip);
        if (packed.headers['content-encoding'] === 'gzip') {
            assert.deepEqual(gunzipSync(packed.bytes), plain.bytes, url);
            assert.ok(packed.bytes.length < plain.bytes.length, url);
            smaller++;
        } else {
            assert.deepEqual(packed.bytes, plain.bytes, url);
        }
        assert.equal(packed.headers.etag, plain.headers.etag, url);
        for (const value of ['', 'identity', 'br', 'gzip;q=0', 'gzip; Q=0.000', 'deflate, gzip ; q=0', 'not-gzip', 'gzipx'])
            assert.deepEqual((await get(url, { 'accept-encoding': value })).bytes, plain.bytes, `${url} ${value}`);
        for (const value of ['GZIP', 'br;q=1, gzip;q=0.5', 'gzip;q=0.001'])
            assert.deepEqual((await get(url, { 'accept-encoding': value })).bytes, packed.bytes, `${url} ${value}`);
    }
    assert.ok(smaller > 1);
});

test('all that the first page loads is under 150 kB', async () => {
    // Behind a static import or a tag; what is imported later has its own time.
    const urls = new Set(['/', ...references(index.text).map(r => r[1]).filter(u => u.startsWith('/assets/'))]);
    for (const url of urls) {
        const file = await get(url);
        if (!/javascript/.test(file.headers['content-type'])) continue;
        for (const m of file.text.matchAll(/(?:^|[;}])\s*(?:import|export)\b[^"'`(]*["'`]\.\/([\w.-]+\.js)["'`]/g)) urls.add(`/assets/${m[1]}`);
    }
    let sum = 0;
    for (const url of urls) sum += (await get(url, gzip)).bytes.length;
    console.log(`# ${urls.size} files, ${sum} bytes compressed`);
    assert.ok(sum < 150_000, `${sum} bytes`);
});

test('HEAD gives the same head without the body', async () => {
    for (const url of ['/', '/w/tour', '/inbox', references(index.text).find(r => r[0] === 'src')[1]])
        for (const more of [{}, gzip]) {
            const a = await get(url, { ...browser, ...more }), b = await server.request('HEAD', url, { headers: { ...browser, ...more } });
            assert.deepEqual([b.status, b.bytes.length], [200, 0], url);
            for (const name of ['content-length', 'content-type', 'content-encoding', 'etag', 'cache-control', 'vary', 'content-security-policy'])
                assert.equal(b.headers[name], a.headers[name], `${url} ${name}`);
        }
});

test('who has a file is told that it is still the same', async () => {
    for (const url of ['/', '/w/tour/c/1', '/settings/models', references(index.text).find(r => r[0] === 'src')[1]]) {
        const { etag } = (await get(url, browser)).headers;
        for (const tag of [etag, `"x", ${etag}`, '*', etag.replace('W/', '')]) {
            const r = await get(url, { ...browser, ...gzip, 'if-none-match': tag });
            assert.deepEqual([r.status, r.bytes.length, r.headers.etag], [304, 0, etag], `${url} ${tag}`);
            assert.ok(r.headers['cache-control'] && r.headers.vary, url);
            assert.equal(r.headers['content-encoding'], undefined);
        }
        assert.equal((await get(url, { ...browser, 'if-none-match': '"other"' })).status, 200, url);
    }
});

test('every address of the page gives the page', async () => {
    for (const url of ['/', '/w', '/w/', '/w/tour', '/w/tour/', '/w/no-such-world', '/w/tour/c/chat_1', '/w/tour/c/chat_1?view=tree&v=t_1', '/w/tour/a/ada',
        '/w/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p', '/w/%E2%82%AC', '/w/../../etc/passwd'])
        for (const headers of [browser, {}, { accept: 'application/json' }, { accept: '*/*' }]) isPage(await get(url, headers), url);
    for (const url of ['/inbox', '/inbox/', '/inbox/in_1', '/inbox/unread-count', '/search', '/search?q=hello', '/settings', '/settings/models', '/settings/a/b/c'])
        for (const accept of [browser.accept, 'text/html', 'TEXT/HTML;charset=utf-8', 'application/json, text/html;q=0.1']) isPage(await get(url, { accept }), `${url} ${accept}`);
});

test('the same paths are the API for whoever does not open a page', async () => {
    for (const url of ['/inbox', '/search?q=hello', '/settings', '/inbox/unread-count'])
        for (const accept of [undefined, '*/*', 'application/json', 'text/*', 'text/html;q=0', 'text/htmlx', 'application/json, text/plain']) {
            const r = await server.call('GET', url, { headers: { accept } });
            assert.equal(r.status, 200, `${url} ${accept}`);
            assert.match(r.headers['content-type'], /^application\/json/, `${url} ${accept}`);
            assert.equal(r.headers.vary, 'Accept', url);
        }
    for (const prefix of ['/api', '/api/v1'])
        for (const url of ['/inbox', '/search?q=hello', '/settings', '/worlds']) {
            const r = await server.call('GET', prefix + url, { headers: browser });
            assert.match(r.headers['content-type'], /^application\/json/, prefix + url);
            assert.equal(r.headers.vary, undefined);
        }
    assert.doesNotMatch((await get('/worlds', browser)).headers['content-type'], /html/);
    // A change is never a page.
    await server.refused('POST', '/inbox/nope/answer', 404, 'inbox-not-found', { headers: browser, body: { content: 'x' } });
    assert.deepEqual((await server.call('PATCH', '/settings', { headers: browser, body: { 'ui.theme': 'dark' } })).status, 200);
});

test('an address that nothing has is told by the page to a browser, and as a problem to everybody else', async () => {
    for (const url of ['/foo/bar', '/inboxes', '/searching', '/settings.json', '/ww', '/W/tour', '/%ff', '/problem', '/apis', '/foo?inbox=1']) {
        const seen = await get(url, browser);
        assert.deepEqual([seen.status, seen.text], [404, index.text], url);
        assert.match(seen.headers['content-type'], /^text\/html/, url);
        assert.equal(seen.headers['content-security-policy'], index.headers['content-security-policy'], url);
        assert.equal((await server.request('HEAD', url, { headers: browser })).status, 404, url);
        for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }, { accept: 'text/html;q=0' }]) {
            const told = await get(url, headers);
            assert.equal(told.status, 404, url);
            checkProblem(told);
        }
        const changed = await server.request('POST', url, { headers: browser });
        assert.equal(changed.status, 404, url);
        checkProblem(changed);
    }
    // What a page asks for by itself is no place of a person.
    for (const url of ['/api/foo', '/api/v1/foo/bar', '/assets/nope.js', '/assets/a/b']) {
        const told = await get(url, browser);
        assert.equal(told.status, 404, url);
        checkProblem(told);
    }
});

// Sends a path exactly as it is.
function raw(target, headers = '', body = '') {
    const socket = net.connect(server.port, server.host);
    const parts = [];
    socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n${headers}\r\n${body}`);
    return within(10000, target, new Promise((resolve, reject) => {
        socket.on('data', b => parts.push(b));
        socket.on('error', reject);
        socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
    }));
}

test('there is no way from the files to anything else', async () => {
    for (const target of ['/assets/', '/assets', '/assets/..', '/assets/../', '/assets/../index.html', '/assets/../../etc/passwd', '/assets/%2e%2e/index.html', '/assets/..%2findex.html', '/assets/..%2f..%2f..%2fetc%2fpasswd',
        '/assets/%2e%2e%2findex.html', '/assets/.%00', '/assets/%00', '/assets/%ff', '/assets//etc/passwd', '/assets/index.html', '/assets/./index.html', '/assets/a/b', '/assets/nope.js', '/assets/NOPE', '/index.html', '/web/index.html',
        `/assets/${'a'.repeat(3000)}`, ...references(index.text).filter(r => r[1].startsWith('/assets/')).map(r => r[1].replace('/assets/', '/')), ...references(index.text).filter(r => r[1].startsWith('/assets/')).map(r => `${r[1]}x`)]) {
        const text = await raw(target);
        assert.match(text, /^HTTP\/1\.1 (400|404) /, target);
        assert.match(text, /Content-Type: application\/problem\+json/, target);
        assert.doesNotMatch(text, /root:|id="app"/, target);
    }
});

test('who only reads cannot fill the memory with a body', async () => {
    const many = 1 << 20;
    for (const url of ['/', '/livez', '/worlds']) {
        assert.equal((await server.request('GET', url, { raw: 'x'.repeat(1000) })).status, 200, url);
        for (const headers of [`Content-Length: ${many}`, 'Transfer-Encoding: chunked'])
            assert.match(await raw(url, `${headers}\r\n`, `${many.toString(16)}\r\n${'x'.repeat(many)}`), /^HTTP\/1\.1 413 /, `${url} ${headers}`);
    }
});

test('files are read only', async () => {
    const file = references(index.text).find(r => r[0] === 'src')[1];
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        for (const url of ['/', '/w/tour', file, '/plain']) {
            const r = await server.request(method, url);
            assert.equal(r.status, 405, `${method} ${url}`);
            assert.match(r.headers.allow, /GET/);
            checkProblem(r);
        }
});

test('with a token the page is open, and everything that it shows is closed', async () => {
    const nobody = { authorization: undefined };
    for (const url of ['/', '/w/tour', '/w/tour/c/1', '/inbox', '/search?q=x', '/settings/models', ...references(index.text).map(r => r[1]).filter(u => u.startsWith('/assets/'))])
        assert.equal((await get(url, { ...browser, ...nobody }, guarded)).status, 200, url);
    for (const url of ['/inbox', '/search?q=x', '/settings', '/worlds', '/plain', '/plain/w/tour', '/events', '/api/v1/worlds', '/api/v1/inbox', '/assets/nope.js', '/nope']) {
        const r = await get(url, url.startsWith('/api') || url.startsWith('/plain') ? { ...browser, ...nobody } : nobody, guarded);
        assert.equal(r.status, url === '/assets/nope.js' ? 404 : 401, url);
        checkProblem(r);
    }
    assert.equal((await get('/plain', browser, guarded)).status, 200);
    assert.ok(!(await get('/', { ...browser, ...nobody }, guarded)).text.includes(secret));
});

// --- Without JavaScript ----------------------------------------------------------------------------------

test('the plain page shows what was said, as text', async () => {
    const w = await server.world('plain', [], { description: '<b>"bold"</b> & more' });
    const hostile = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</p></article><h1>gone', '&lt;already&gt; & so on', "a\nb\n\n  c", '<a href="javascript:alert(1)">x</a>', '\u202egnp.exe\u200b', 'red \u001b[31m\u0007', '<!-- ', ']]>', 'é 日本 🧵'];
    for (const text of hostile) await w.say(text);
    const list = await server.call('GET', '/plain');
    assert.match(list.headers['content-type'], /^text\/html/);
    assert.match(list.text, /<a href="\/plain\/w\/plain">plain<\/a> &lt;b&gt;&quot;bold&quot;&lt;\/b&gt; &amp; more/);
    const page = await server.call('GET', '/plain/w/plain');
    assert.equal(page.headers['cache-control'], 'no-store');
    // Nothing but what the page itself is made of.
    const tags = new Set([...page.text.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(m => m[1].toLowerCase()));
    for (const tag of tags) assert.ok(['!doctype', 'html', 'meta', 'title', 'p', 'a', 'h1', 'h2', 'h3', 'article', 'small', 'time', 'br', 'em', 'dl', 'dt', 'dd', 'code'].includes(tag), tag);
    assert.equal(page.text.match(/<article /g).length, hostile.length);
    assert.equal(page.text.match(/<h1>/g).length, 1);
    assert.deepEqual([...page.text.matchAll(/href="([^"]*)"/g)].map(m => m[1]), ['/plain']);
    assert.match(page.text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.match(page.text, /&amp;lt;already&amp;gt; &amp; so on/);
    assert.match(page.text, /a<br>\nb<br>\n<br>\n {2}c<br>/);
    assert.match(page.text, /é 日本 🧵/);
    assert.match(page.text, /&lt;U\+202E&gt;gnp\.exe&lt;U\+200B&gt;/);
    assert.doesNotMatch(page.text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
    assert.match(page.text, /<code>skein chat --world plain<\/code>/);
});

test('the plain page shows the last 200 messages, each up to 20,000 bytes', async () => {
    const w = await server.world('long', []);
    for (let i = 0; i < 203; i++) await w.say(`number ${i}.`);
    const { text } = await server.call('GET', '/plain/w/long');
    assert.equal(text.match(/<article /g).length, 200);
    assert.match(text, /The last 200 of 203 messages/);
    assert.ok(!text.includes('number 2.') && text.includes('number 3.') && text.includes('number 202.'));
    assert.ok(text.indexOf('number 3.') < text.indexOf('number 202.'));
    await w.say('é'.repeat(15000));
    const cut = (await server.call('GET', '/plain/w/long')).text;
    assert.match(cut, /é<br>\n<em>… and 10000 bytes more<\/em>/);
    assert.equal(cut.match(/é/g).length, 10000);
});

test('the plain page of a world without a chat, and of none', async () => {
    await server.post('/worlds', { name: 'bare' });
    await server.ask('PATCH', '/worlds/bare', { currentChatId: null });
    assert.match((await server.call('GET', '/plain/w/bare')).text, /has no current chat/);
    await server.world('silent', []);
    assert.match((await server.call('GET', '/plain/w/silent')).text, /There are no messages/);
    await server.refused('GET', '/plain/w/nope', 404, 'world-not-found');
});

await finish();
