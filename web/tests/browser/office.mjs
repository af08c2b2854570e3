// office.mjs: agents whose work brings something into the inbox, for the tests of the screens around it.
import { errands, watch, work } from '../../../tests/server/desk.mjs';
import { Server, assert, axe, script } from './kit.mjs';

const text = `
seed: 3
pace: 2
rules:
  ${errands}
  - matches: 'brief (.*)'
    do:
      - call: create_inbox_item
        args: {type: briefing, title: 'About {1}', summary: 'The short of {1}.', content: "What changed: **{1}**."}
  - when: find both
    do:
      - call: demo_lookup
        args: {query: ebb}
      - call: demo_lookup
        args: {query: flood}
  - when: read the shelf
    do:
      - call: shelf__read
        args: {}
  - tool: shelf__read
    do: That is on the shelf.
  - when: hand this on
    from: human
    do:
      - call: delegate
        args: {agent: ada, title: Handed on, task: see to it}
  - tool: delegate
    do: It is done.
  - when: break
    do:
      - fail: the model is out of order
  - when: 'The messages:'
    from: skein
    do: One text for all of them.
otherwise: "{agent} heard {sender}."
`;
export const file = script('office', text);
export const startOffice = (o = {}) => Server.start({ script: file, ...o });

let worlds = 0;
export async function office(server, agents = ['lead', { name: 'ada', lead: 'lead' }], more = {}) {
    return server.world(
        `office${++worlds}`,
        agents.map(a => (typeof a === 'string' ? { name: a } : a)),
        more,
    );
}

// Gives an agent a task and waits for what it brings into the inbox, which is none of what was there before.
export async function causes(w, agent, task, type) {
    const list = async () => (await w.server.get(`/inbox?world=${w.name}&type=${type}&state=all`)).data;
    const known = (await list()).map(i => i.id);
    const stream = await watch(w);
    await w.server.post(`${w.path}/agents/${agent}/tasks`, { content: task });
    const isNew = e => e.type === type && !known.includes(e.id);
    const { body } = await stream.event('inbox.created', isNew, { ms: 20000 });
    stream.close();
    return w.server.get(`/inbox/${body.data.id}`);
}
// Gives it a task and waits until it is over.
export const does = work;

// Nothing stands beyond the right edge of the window.
export async function fits(p, what) {
    const over = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${what} is ${over} px too wide`);
}

// What axe finds wrong with what is on screen.
export async function sound(p) {
    await axe(p);
}
