// cut_proxy.mjs: stands between a program and a server, and cuts connections.
//
//   node cut_proxy.mjs http://127.0.0.1:7534/ 0,200,600
//
// Connection after connection is cut after so many bytes of the answer; when the list is used up, no
// more are. "starting" in the list is answered as by a server whose store is not open yet. Prints its
// own address.
import { connect, createServer } from 'node:net';

const target = new URL(process.argv[2]);
const limits = process.argv[3].split(',');
const starting = JSON.stringify({ type: '/problems/starting', status: 503, code: 'STARTING', detail: 'the server is starting' });
const proxy = createServer(client => {
    const limit = limits.shift();
    if (limit === 'starting')
        return void client.once('data', () => client.end(`HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: ${starting.length}\r\nConnection: close\r\n\r\n${starting}`));
    let left = Number(limit ?? Infinity);
    const server = connect(Number(target.port), target.hostname);
    const cut = () => { client.destroy(); server.destroy(); };
    // A server knows by its name whether it is meant.
    client.on('data', bytes => server.write(bytes.toString('latin1').replace(/^Host: .*$/m, `Host: ${target.host}`), 'latin1'));
    server.on('data', bytes => {
        if (left === Infinity) return void client.write(bytes);
        if (left > 0) client.write(bytes.subarray(0, left));
        left -= bytes.length;
        if (left <= 0) setImmediate(cut);
    });
    for (const [one, other] of [[client, server], [server, client]])
        one.on('error', cut).on('close', () => other.end());
});
proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}/`));
