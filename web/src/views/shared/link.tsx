import type { ComponentChildren } from 'preact';
import { go, href, type Place } from '../../store/place';

export interface LinkProps {
    to: Place;
    children: ComponentChildren;
    class?: string;
    label?: string;
    title?: string;
    current?: boolean;
    replace?: boolean;
    id?: string;
    onFocus?: () => void;
}

/** A real link: it can be opened in another tab, copied, and read out as what it is. */
export function Link({ to, children, label, current, replace, ...rest }: LinkProps) {
    const follow = (event: MouseEvent): void => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to, { replace });
    };
    return (
        <a
            {...rest}
            href={href(to)}
            aria-label={label}
            aria-current={current ? 'true' : undefined}
            onClick={follow}
        >
            {children}
        </a>
    );
}
