import type { ComponentChildren } from 'preact';
import type { Trouble } from '../api/client';
import { Button } from './button';
import { Icon } from './icon';
import './marks.css';

export interface TroubleBoxProps {
    trouble: Trouble;
    onRetry?: () => void;
    /** What is not lost: "Your message is kept." */
    safe?: string;
    actions?: ComponentChildren;
}

/** What happened, what is safe, what to do; the request id behind Details. */
export function TroubleBox({ trouble, onRetry, safe, actions }: TroubleBoxProps) {
    const detail = trouble.detail && trouble.detail !== trouble.title ? trouble.detail : null;
    return (
        <div class="trouble" role="group" aria-label="Error">
            <p class="trouble-title">
                <Icon name="warn" /> {trouble.title}
            </p>
            {detail && <p>{detail}</p>}
            {trouble.errors?.map(one => (
                <p key={one.pointer}>
                    <code>{one.pointer}</code> {one.detail}
                </p>
            ))}
            {safe && <p>{safe}</p>}
            {trouble.hint && <p>{trouble.hint}</p>}
            {(onRetry || actions) && (
                <div class="trouble-actions">
                    {onRetry && <Button onClick={onRetry}>Retry</Button>}
                    {actions}
                </div>
            )}
            <TroubleDetails trouble={trouble} />
        </div>
    );
}

function TroubleDetails({ trouble }: { trouble: Trouble }) {
    const lines = [
        trouble.status ? `Status ${trouble.status}` : 'The server was not reached',
        trouble.code && `Code ${trouble.code}`,
        trouble.requestId && `Request ${trouble.requestId}`,
    ].filter(Boolean);
    return (
        <details class="trouble-details">
            <summary>Details</summary>
            {lines.map(line => (
                <p key={line}>{line}</p>
            ))}
        </details>
    );
}
