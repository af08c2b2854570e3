// evil_proxy.mjs: stands between a program and a server, and makes the answers those of a server that is not to be trusted.
//
//   node evil_proxy.mjs http://127.0.0.1:7534/ texts|all|holes|words|pages|round|lies|heads|stream|ends|bare|huge
//
// texts: texts get escape sequences, but for those without which the program does not go on. all: every text but names gets them (without a name commands end; words is about names). holes: every list but those of
// places is one empty object. words: names are commands of a shell. pages: every list goes on for ever, round: with the same page, lies: with another cursor and the same items. heads: an answer is announced again and again. ends: it is over at once. bare: answers but those of places are empty. huge: a list has far more than was asked for. stream: a stream of events is an answer without an end. Prints its own address.
import http from 'node:http';

const [target, how] = [new URL(process.argv[2]), process.argv[3]];
const evil = '\u001b]0;owned\u0007\u001b[2J\u009b5m\u007f\u202e\u200bEVIL';
const needed = /^(name|sender|id|thread|next|state|kind|mode|role|.*At)$|[a-z]Ids?$/;

const places = /\/(worlds|chats|agents|messages)\b[^/]*$/;

function spoil(value) {
    if (typeof value === 'string') return value + evil;
    if (Array.isArray(value)) return value.map(spoil);
    if (value && typeof value === 'object')
        return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, (how === 'texts' ? needed : /^name$/).test(k) && typeof v === 'string' ? v : spoil(v)]));
    return value;
}

function change(body, url) {
    const json = JSON.parse(body);
    if (how === 'huge') return { ...json, more: 'x'.repeat(40 << 20) };
    if (how === 'pages') return { data: [], page: { next: 'more' } };
    if (how === 'holes') return Array.isArray(json.data) && !places.test(url) ? { data: [{}] } : json;
    if (how === 'words') return { ...json, name: 'w; touch owned #' };
    return spoil(json);
}

function endless(answer) {
    answer.writeHead(200, { 'content-type': 'text/plain', 'skein-version': '0.1.0' });
    const more = () => { while (!answer.destroyed && answer.write(' '.repeat(65536))); };
    answer.on('drain', more);
    more();
}

const proxy = http.createServer((question, answer) => {
    answer.on('error', () => {});
    if (how === 'ends' && question.headers.accept === 'text/event-stream') return answer.writeHead(200, { 'skein-version': '0.1.0' }).end('{}');
    if (how === 'stream' && question.headers.accept === 'text/event-stream') return endless(answer);
    if (how === 'round') return answer.writeHead(200, { 'content-type': 'application/json', 'skein-version': '0.1.0' }).end('{"data":[{"name":"w"}],"page":{"next":"more"}}');
    if (how === 'lies') return answer.writeHead(200, { 'content-type': 'application/json', 'skein-version': '0.1.0' }).end(`{"data":[{"name":"w"}],"page":{"next":"more${Math.random()}","total":1,"totalIsExact":true,"hasMore":true}}`);
    if (how === 'heads') {
        const more = () => { while (!answer.destroyed && answer.socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100))); };
        answer.socket.on('drain', more);
        return more();
    }
    const asked = http.request(target, { path: question.url, method: question.method, headers: { ...question.headers, host: target.host } }, got => {
        const parts = [];
        got.on('data', b => parts.push(b)).on('end', () => {
            let body = how === 'bare' && !places.test(question.url) ? '' : Buffer.concat(parts).toString();
            if (!/^(stream|ends|bare)$/.test(how) && /json/.test(got.headers['content-type'] ?? '') && body) body = JSON.stringify(change(body, question.url));
            else if (/^(texts|all)$/.test(how) && body) body += `${evil}\n`;
            const headers = { ...got.headers, 'content-length': Buffer.byteLength(body) };
            delete headers['transfer-encoding'];
            answer.writeHead(got.statusCode, headers).end(body);
        });
    });
    asked.on('error', () => answer.destroy());
    question.pipe(asked);
});
proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}/`));
