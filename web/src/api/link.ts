// link.ts: the link of "skein open", which signs this browser in, once: /#sign-in=CODE&to=PAGE. The code is behind the #,
// so that no server and no proxy writes it down.

import { signIn } from './calls';

/** The page that the link leads to; never one of another server. */
export function pageOf(to: string, origin: string): string {
    const page = new URL(`/${to.replace(/^[/\\]+/, '')}`, origin);
    return page.origin === origin ? page.pathname + page.search + page.hash : '/';
}

/** true: the address is such a link, and the page is loaded again when it was used. */
export function signInByLink(): boolean {
    const [, code, to] = /^#sign-in=([0-9a-f]+)(?:&to=(.*))?$/.exec(location.hash) ?? [];
    if (code === undefined) return false;
    history.replaceState(null, '', '/');
    // One that was used before still leads to the page, which asks for the token where it needs to.
    void signIn({ code }).then(() => {
        const page = pageOf(decodeURIComponent(to ?? ''), location.origin);
        if (page === '/') location.reload();
        else location.replace(page);
    });
    return true;
}
