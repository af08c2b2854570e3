// files.mjs: files that messages carry: kept once, handed out again and never run.
import crypto from 'node:crypto';
import { Server, assert, finish, test } from './lib.mjs';

const server = await Server.start();
const w = await server.world('files');
const id = bytes => crypto.createHash('sha256').update(bytes).digest('hex');

// The smallest PNG that says its size.
export function png(width, height, more = '') {
    const b = Buffer.alloc(33);
    b.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
    b.writeUInt32BE(width, 16);
    b.writeUInt32BE(height, 20);
    return Buffer.concat([b, Buffer.from(more)]);
}
const put = (bytes, { name, type = 'application/octet-stream', status = 201, path = w.path } = {}) =>
    server.ask('POST', `${path}/files${name ? `?name=${encodeURIComponent(name)}` : ''}`, undefined, status, { raw: bytes, headers: { 'content-type': type } });
const get = (file, headers = {}, path = w.path) => server.call('GET', `${path}/files/${file}`, { headers });

test('an image is kept under the hash of its bytes, with its size', async () => {
    const bytes = png(640, 480);
    const file = await put(bytes, { name: 'a/b/plan.png', type: 'image/png' });
    assert.deepEqual({ ...file, createdAt: 0 }, { id: id(bytes), name: 'plan.png', type: 'image/png', size: bytes.length, width: 640, height: 480, createdAt: 0 });
    const got = await get(file.id);
    assert.equal(got.status, 200);
    assert.ok(got.bytes.equals(bytes));
    assert.equal(got.headers['content-type'], 'image/png');
    assert.match(got.headers['content-disposition'], /^inline; filename="plan.png"/);
    assert.equal(got.headers['x-content-type-options'], 'nosniff');
    assert.match(got.headers['content-security-policy'], /sandbox/);
    assert.equal((await get(file.id, { 'if-none-match': got.headers.etag })).status, 304);
    assert.deepEqual((await put(bytes, { name: 'other.png' })).name, 'other.png', 'the last name counts');
    assert.equal((await server.get(`${w.path}/files`)).data.length, 1);
});

test('ranges are parts of it', async () => {
    const bytes = Buffer.from('0123456789');
    const file = await put(bytes, { name: 'ten.txt', type: 'text/plain' });
    for (const [range, part] of [['2-4', '234'], ['7-', '789'], ['-2', '89'], ['5-100', '56789'], ['-100', null]]) {
        const got = await get(file.id, { range: `bytes=${range}` });
        assert.equal(got.text, part ?? '0123456789', range);
        assert.equal(got.status, part ? 206 : 200, range);
    }
    assert.equal((await get(file.id, { range: 'bytes=2-4' })).headers['content-range'], 'bytes 2-4/10');
    assert.equal((await get(file.id, { range: 'bytes=2-4', 'if-range': '"another"' })).status, 200);
    assert.equal((await get(file.id, { range: 'bytes=0-1,3-4' })).status, 200);
    for (const range of ['10-', '99-100', '-0']) await server.refused('GET', `${w.path}/files/${file.id}`, 416, 'range', { headers: { range: `bytes=${range}` } });
});

test('nothing that a browser would run is handed out as such', async () => {
    for (const [name, type] of [['a.html', 'text/html'], ['a.svg', 'image/svg+xml'], ['a.xhtml', 'application/xhtml+xml'], ['a.js', 'text/javascript'], ['a.xml', 'text/xml']]) {
        const file = await put(Buffer.from(`<svg onload=alert(1)> ${name}`), { name, type });
        const got = await get(file.id);
        assert.equal(got.headers['content-type'], 'application/octet-stream', name);
        assert.match(got.headers['content-disposition'], /^attachment;/, name);
    }
    const posing = await put(Buffer.concat([png(1, 1), Buffer.from('<script>')]), { name: 'x.html', type: 'text/html' });
    assert.equal(posing.type, 'image/png', 'what the bytes are counts');
    await server.refused('POST', `${w.path}/files`, 400, 'validation', { raw: '<svg/>', headers: { 'content-type': 'image/png' } });
});

test('a form with one file is a file, too', async () => {
    const form = (...parts) => ({ raw: Buffer.concat([...parts.map(p => Buffer.concat([Buffer.from(`--b0\r\nContent-Disposition: form-data; name="file"; ${p.name}\r\nContent-Type: image/png\r\n\r\n`), p.bytes, Buffer.from('\r\n')])), Buffer.from('--b0--\r\n')]),
        headers: { 'content-type': 'multipart/form-data; boundary=b0' } });
    const one = { name: `filename="plan.png"; filename*=UTF-8''pl%C3%A4n%22.png`, bytes: png(3, 2, '--b0 is in it') };
    const file = await server.ask('POST', `${w.path}/files`, undefined, 201, form(one));
    assert.deepEqual([file.name, file.width, file.id], ['plän".png', 3, id(one.bytes)]);
    assert.match((await get(file.id)).headers['content-disposition'], /filename="pl__n_.png"; filename\*=UTF-8''pl%C3%A4n%22.png/);
    await server.refused('POST', `${w.path}/files`, 400, 'validation', form(one, one));
    await server.refused('POST', `${w.path}/files`, 400, 'validation', form());
    await server.refused('POST', `${w.path}/files`, 400, 'validation', { raw: '--b0\r\n', headers: { 'content-type': 'multipart/form-data; boundary=b0' } });
});

test('there are limits, and other worlds', async () => {
    const small = await server.world('small', [], { settings: { fileBytes: 100, worldFileBytes: 150 } });
    await put(Buffer.alloc(100, 1), { path: small.path });
    await put(Buffer.alloc(100, 1), { path: small.path }); // it is there
    await server.refused('POST', `${small.path}/files`, 413, 'too-large', { raw: Buffer.alloc(100, 2), headers: { 'content-type': 'application/octet-stream' } });
    await server.refused('POST', `${small.path}/files`, 413, 'too-large', { raw: Buffer.alloc(101, 1), headers: { 'content-type': 'application/octet-stream' } });
    await server.refused('POST', `${small.path}/files`, 400, 'validation', { raw: '', headers: { 'content-type': 'application/octet-stream' } });
    await server.refused('GET', `${w.path}/files/${id(Buffer.alloc(100, 1))}`, 404, 'file-not-found');
    await server.refused('GET', `${w.path}/files/nothing`, 404, 'file-not-found');
    const large = crypto.randomBytes(16 * 1024 * 1024);
    const file = await put(large, { name: 'large.bin' });
    assert.ok((await get(file.id)).bytes.equals(large));
    await server.refused('POST', `${w.path}/files`, 413, 'too-large', { raw: Buffer.alloc(18 * 1024 * 1024), headers: { 'content-type': 'application/octet-stream' } });
});

await finish();
