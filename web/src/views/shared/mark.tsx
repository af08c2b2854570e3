import { marked } from './marked';

/** A text in which what was looked for is marked. */
export function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
    return <>{marked(text, terms).map((p, i) => (p.hit ? <mark key={i}>{p.text}</mark> : p.text))}</>;
}
