// replies.mjs: the five scenarios of how messages answer each other, with agents that answer by themselves.
import { Server, assert, finish, run, script, test } from './lib.mjs';

const file = script('replies', `
rules:
  - agent: agent-a
    when: chain
    do: "@agent-b follow up on the chain"
  - agent: agent-b
    when: chain
    do: "@agent-c end the chain"
  - agent: agent-c
    when: chain
    do: Final.
  - agent: agent-a
    when: ask agent b
    do: "@agent-b question?"
  - agent: agent-b
    when: question
    do: Answer.
otherwise: Hi from {agent}.
`);
const server = await Server.start({ script: file });
const agents = ['agent-a', 'agent-b', 'agent-c'];
let names = 0;
const fresh = (who = agents) => server.world(`replies-${++names}`, who);

// Says it, and gives all that is in the main lane when the agents are done.
async function exchange(w, text) {
    const said = await w.say(text);
    await w.idle();
    return [said, await w.messages()];
}
const by = (list, sender) => list.filter(m => m.sender === sender);
const links = list => list.map(m => [m.sender, m.replyToMessageId, m.replyDepth]);

test('Scenario 1: Simple Human-Agent Exchange', async () => {
    const w = await fresh(['agent-a']);
    const [said, room] = await exchange(w, 'Hello');
    assert.deepEqual(links(room), [['human', null, 0], ['agent-a', said.messageId, 1]]);
    assert.deepEqual([room[0].hasReply, room[0].replyCount, room[1].hasReply], [true, 1, false]);
    assert.deepEqual((await server.get(`${w.path}/messages/${said.messageId}/replies`)).data.map(m => m.messageId), [room[1].messageId]);
    // In the agent's memory what came in is no reply, and what it said is.
    const memory = await w.messages('&agent=agent-a');
    assert.deepEqual(memory.map(m => [m.role, m.replyToMessageId]), [['user', null], ['assistant', said.messageId]]);
});

test('Scenario 2: Multi-Agent Broadcast', async () => {
    const w = await fresh();
    const [said, room] = await exchange(w, '@agent-a @agent-b hello');
    assert.equal(room.length, 3);
    assert.equal(room[0].replyToMessageId, null);
    for (const name of ['agent-a', 'agent-b'])
        assert.deepEqual(links(by(room, name)), [[name, said.messageId, 1]]);
    assert.deepEqual(by(room, 'agent-c'), [], 'who was not named does not answer');
    assert.equal(room[0].replyCount, 2);
    // One message, however many have it in memory; none of the copies is a reply.
    assert.deepEqual([...room[0].seenByAgents].sort(), agents);
    for (const name of agents) {
        const memory = await w.messages(`&agent=${name}`);
        assert.deepEqual(memory.filter(m => m.messageId === said.messageId).map(m => [m.role, m.replyToMessageId]), [['user', null]]);
        for (const m of memory.filter(m => m.role === 'user')) assert.equal(m.replyToMessageId, null, name);
    }
    const delivery = Object.fromEntries(room[0].delivery.map(d => [d.agent, d.state]));
    assert.deepEqual(delivery, { 'agent-a': 'answered', 'agent-b': 'answered', 'agent-c': 'inMemory' });
});

test('Scenario 3: Agent-to-Agent Chain', async () => {
    const w = await fresh(['agent-a', 'agent-b']);
    const [said, room] = await exchange(w, '@agent-a please ask agent b');
    const [question] = by(room, 'agent-a');
    const [answer] = by(room, 'agent-b');
    assert.deepEqual([question.content, question.replyToMessageId], ['@agent-b question?', said.messageId]);
    assert.deepEqual([answer.content, answer.replyToMessageId, answer.replyDepth], ['Answer.', question.messageId, 2]);
    // In agent b's memory the same message came in: no reply there, so nothing goes in a circle.
    const memory = await w.messages('&agent=agent-b');
    assert.deepEqual(memory.filter(m => m.messageId === question.messageId).map(m => [m.role, m.replyToMessageId]), [['user', null]]);
    assert.deepEqual(memory.filter(m => m.messageId === answer.messageId).map(m => [m.role, m.replyToMessageId]), [['assistant', question.messageId]]);
    const raw = await w.messages('&agent=agent-b&raw=1');
    assert.equal(raw.find(m => m.messageId === question.messageId).replyToMessageId, said.messageId);
    assert.deepEqual(answer.warnings, []);
});

test('Scenario 4: Multi-Level Thread', async () => {
    const w = await fresh();
    const [said, room] = await exchange(w, '@agent-a start the chain');
    assert.deepEqual(room.map(m => m.sender), ['human', ...agents]);
    assert.deepEqual(links(room), room.map((m, i) => [m.sender, i ? room[i - 1].messageId : null, i]));
    const last = room.at(-1).messageId;
    const above = (await server.get(`${w.path}/messages/${last}/ancestors`)).data.map(m => m.messageId);
    assert.deepEqual([...above].sort(), room.slice(0, 3).map(m => m.messageId).sort());
    const below = (await server.get(`${w.path}/messages/${said.messageId}/subtree`)).data;
    assert.ok(below.length >= 3);
});

test('Scenario 5: Invalid - Circular Reference', async () => {
    const w = await fresh(['agent-a']);
    const ids = ['circle0001', 'circle0002', 'circle0003'];
    // A points at C, which is not there yet; B at A; C at B. The claim of A stays a claim, so nothing goes in a circle.
    const lines = ids.map((messageId, i) => JSON.stringify({ messageId, role: 'assistant', sender: 'agent-a', content: `part ${i}`, replyToMessageId: ids[(i + 2) % 3] }));
    const done = await run(['append', ...server.store.args, '-w', w.name, '-c', w.chat, '--json'], { input: `${lines.join('\n')}\n` });
    assert.equal(done.code, 0, done.err);
    const room = await w.messages();
    assert.equal(room.length, 3, 'all are kept');
    const chains = await Promise.all(room.map(async m => (await server.get(`${w.path}/messages/${m.messageId}/ancestors`)).data.map(a => a.messageId)));
    assert.deepEqual(chains, [[], [ids[0]], [ids[1], ids[0]]], 'what was not there is never resolved later');
    assert.deepEqual(room.map(m => m.replyToMessageId), [ids[2], ids[0], ids[1]]);
    assert.ok(room[0].warnings.length > 0, 'the first one points at what is not there');
    assert.deepEqual([room[1].warnings, room[2].warnings], [[], []]);
    // One that answers itself is kept without the link.
    const self = await run(['append', ...server.store.args, '-w', w.name, '-c', w.chat, '--json'],
        { input: `${JSON.stringify({ messageId: 'circle0004', role: 'user', sender: 'human', content: 'I answer myself', replyToMessageId: 'circle0004' })}\n` });
    assert.equal(self.code, 0, self.err);
    const own = (await w.messages()).find(m => m.content === 'I answer myself');
    assert.equal(own.replyToMessageId, null);
    assert.ok(own.warnings.length > 0);
});

await finish();
