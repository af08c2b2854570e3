// code-block.tsx: code with its language, a button that copies it, and colours when the language is known.

import { useEffect, useState } from 'preact/hooks';
import './code.css';
import { plain } from '../markdown/plain';
import { coloured, type Piece } from './colour';

/** Longer code stays in one colour: the colours would cost more than they tell. */
const MOST_COLOURED = 20_000;
const COPIED_MS = 1500;

function Copy({ text }: { text: string }) {
    const [done, setDone] = useState(false);
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            return;
        }
        setDone(true);
        setTimeout(() => setDone(false), COPIED_MS);
    };
    return (
        <button type="button" class="code-copy" aria-label="Copy this code" onClick={() => void copy()}>
            {done ? 'Copied' : 'Copy'}
        </button>
    );
}

function draw(pieces: Piece[]) {
    return pieces.map(p =>
        p.kind === '' ? plain(p.text) : <span class={`code-${p.kind}`}>{plain(p.text)}</span>,
    );
}

/** `open`: it is still being written. */
export function CodeBlock({ text, lang, open = false }: { text: string; lang: string; open?: boolean }) {
    const name = (lang.match(/^[\w+#.-]{1,24}/)?.[0] ?? '').toLowerCase();
    const [pieces, setPieces] = useState<{ of: string; pieces: Piece[] } | null>(null);
    useEffect(() => {
        if (open || name === '' || text.length > MOST_COLOURED) return undefined;
        let wanted = true;
        void coloured(name, text).then(found => {
            if (wanted && found) setPieces({ of: text, pieces: found });
        });
        return () => {
            wanted = false;
        };
    }, [text, name, open]);
    return (
        <div class="code" dir="ltr">
            <div class="code-head">
                <span>{name || 'code'}</span>
                <Copy text={text} />
            </div>
            <pre tabIndex={0} aria-label={name ? `Code, ${name}` : 'Code'}>
                <code>{pieces && pieces.of === text && !open ? draw(pieces.pieces) : plain(text)}</code>
            </pre>
        </div>
    );
}
