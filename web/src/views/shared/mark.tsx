import { marked } from './marked';

/** A text in which what was looked for is marked. */
export function Marked({ text, terms, words }: { text: string; terms: readonly string[]; words?: boolean }) {
    return <>{marked(text, terms, words).map((p, i) => (p.hit ? <mark key={i}>{p.text}</mark> : p.text))}</>;
}
