// talk.mjs: sends a message, amends it, undoes that, and follows the events of a server.
//
//     node examples/talk.mjs http://127.0.0.1:7777
import { Skein, SkeinError } from '../bindings/node/skein.mjs';

const skein = new Skein(process.argv[2], { token: process.env.SKEIN_TOKEN });
const worlds = (await skein.call('GET', '/worlds')).body.data;
if (!worlds.some(w => w.name === 'talk')) await skein.call('POST', '/worlds', { name: 'talk' });

const { id } = (await skein.call('POST', '/worlds/talk/chats', { title: 'first' })).body;
const chat = `/worlds/talk/chats/${id}`;

const end = new AbortController();
const told = [];
const following = (async () => {
    for await (const event of skein.events(`/worlds/talk/events?chatId=${id}`, { after: 0, signal: end.signal })) {
        told.push(event.type);
        if (event.type === 'thread.switched') end.abort();
    }
})();
const show = async when => console.log(`${when}:`, ...(await skein.call('GET', `${chat}/messages`)).body.data.map(m => m.content));

const said = (await skein.call('POST', '/worlds/talk/messages', { content: 'Hello?' })).body;
await show('said');
const state = (await skein.call('GET', chat)).headers.etag;
await skein.call('POST', `${chat}/operations`, { op: 'amend', messageId: said.messageId, content: 'Anybody?' }, { 'if-match': state });
await show('edited');
await skein.call('PUT', `${chat}/currentThread`, { move: 'undo' }, { 'if-match': '*' });
await show('undone');
await skein.call('GET', '/worlds/nowhere').catch(error => console.log('error:', error instanceof SkeinError && error.status, error.message));
await following;
for (const type of told) console.log('event:', type);
