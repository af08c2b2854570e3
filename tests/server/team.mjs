// team.mjs: the script that most server tests give to their agents, and what it makes them do.
import { script } from './lib.mjs';

// What a message makes the agents who answer it do:
//   "hold"           begin to write, and go on until somebody stops them
//   "stream N"       write a hundred words, slowly enough to be seen
//   "look up X"      call the tool demo_lookup
//   "think"          think, then answer
//   "fail", "cut"    fail; be cut off in the middle
//   "chain"          lead asks ada, ada asks bo, bo ends it
//   "loop"           lead and ada ask each other for ever
//   "mail"           write something that looks like a mention and is none
//   "self"           mention themselves
// and otherwise they say their name and who spoke.
const words = n => Array.from({ length: n }, (_, i) => `word${i + 1}`).join(' ');
const text = `
seed: 7
pace: 4
rules:
  - when: hold
    do:
      - say: I begin, and it will take long.
      - wait: 10m
      - say: I end.
  - matches: 'stream ([0-9]+)'
    do:
      - say: "{agent} streams {1}: ${words(100)}"
  - matches: 'look up (.*)'
    do:
      - say: "I look that up."
      - call: demo_lookup
        args: {query: '{1}'}
  - tool: demo_lookup
    do: That is what I found.
  - when: think
    do:
      - think: ${words(20)}
      - say: I have thought.
  - when: fail
    do:
      - fail: the model is out of order
  - when: cut
    do:
      - say: ${words(12)}
      - cut: after 5 words
  - when: chain
    agent: lead
    do: "@ada go on with the chain"
  - when: chain
    agent: ada
    do: "@bo end the chain"
  - when: chain
    agent: bo
    do: The end of it.
  - when: loop
    agent: lead
    do: "@ada loop on"
  - when: loop
    agent: ada
    do: "@lead loop on"
  - when: mail
    do: "Write to me@ada.example, cc @bo or ask @nobody.\\nNot @bo either: x@bo"
  - when: self
    do: "@{agent} I speak to myself."
otherwise: "{agent} heard {sender}."
`;

let file;
export const team = () => (file ??= script('team', text));
export const three = ['lead', 'ada', 'bo'];
