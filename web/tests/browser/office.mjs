// office.mjs: agents whose work brings something into the inbox, for the tests of the screens around it.
import { Server, assert, axe, script } from './kit.mjs';

const text = `
seed: 3
pace: 2
rules:
  - tool: create_inbox_item
    do: I have briefed.
  - tool: request_input
    do: I have asked.
  - tool: remember
    do: I will remember that.
  - tool: demo_lookup
    do: That is what I found.
  - when: hold
    do:
      - say: I begin, and it will take long.
      - wait: 10m
      - say: I end.
  - matches: 'brief (.*)'
    do:
      - call: create_inbox_item
        args: {type: briefing, title: 'About {1}', summary: 'The short of {1}.', content: "What changed: **{1}**."}
  - when: ask the person
    do:
      - call: request_input
        args: {question: Which time zone?}
  - when: keep in mind
    do:
      - call: remember
        args: {type: fact, content: The freeze ends at noon, confidence: 0.8}
  - matches: 'look up (.*)'
    do:
      - call: demo_lookup
        args: {query: '{1}'}
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

// Gives an agent a task and waits for what it brings into the inbox.
export async function causes(w, agent, task, type) {
    const stream = w.events('?after=0');
    await stream.event('stream.open');
    await w.server.post(`${w.path}/agents/${agent}/tasks`, { content: task });
    const { body } = { body: await stream.event('inbox.created', e => e.type === type, { ms: 20000 }) };
    stream.close();
    assert.ok(body);
    const list = await w.server.get(`/inbox?world=${w.name}&type=${type}&state=all`);
    return list.data[0];
}
// Gives it a task and waits until it is over.
export async function does(w, agent, content) {
    const stream = w.events('?after=0');
    await stream.event('stream.open');
    const task = await w.server.post(`${w.path}/agents/${agent}/tasks`, { content });
    await stream.event('task.finished', e => e.taskId === task.id, { ms: 20000 });
    stream.close();
    return w.server.get(`${w.path}/tasks/${task.id}`);
}

// Nothing stands beyond the right edge of the window.
export async function fits(p, what) {
    const over = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${what} is ${over} px too wide`);
}

// What axe finds wrong with what is on screen.
export async function sound(p) {
    await axe(p);
}
