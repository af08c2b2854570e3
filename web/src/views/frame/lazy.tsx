import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { Loading, TroubleBox } from '../../parts/parts';

type Loaded<P> = { view: ComponentType<P> } | { failed: true } | null;

/** Fetches the view before it is shown; fails when it cannot be fetched. */
export type Preload = () => Promise<void>;

/** A view that is fetched when it is first shown, so that the first page stays small. */
export function lazyView<P extends object>(
    load: () => Promise<ComponentType<P>>,
    what: string,
): FunctionComponent<P> & { preload: Preload } {
    let ready: ComponentType<P> | null = null;
    const fetchView = () =>
        load().then(view => {
            ready = view;
            return view;
        });

    function Lazy(props: P) {
        const state = useSignal<Loaded<P>>(ready ? { view: ready } : null);
        const turn = useSignal(0);
        useEffect(() => {
            if (state.value && 'view' in state.value) return;
            let gone = false;
            fetchView().then(
                view => {
                    if (!gone) state.value = { view };
                },
                () => {
                    if (!gone) state.value = { failed: true };
                },
            );
            return () => {
                gone = true;
            };
        }, [turn.value]);
        if (!state.value) return <Loading label={`Loading ${what}`} />;
        if ('view' in state.value) return <state.value.view {...props} />;
        const retry = () => {
            state.value = null;
            turn.value += 1;
        };
        return (
            <TroubleBox
                trouble={{
                    status: 0,
                    type: 'about:blank',
                    title: `The part of the page for ${what} could not be loaded.`,
                    detail: 'The server may have been restarted with another version.',
                    hint: 'Retry, or load the page again.',
                }}
                safe="Your texts are safe."
                onRetry={retry}
            />
        );
    }
    return Object.assign(Lazy, {
        preload: async () => {
            if (!ready) await fetchView();
        },
    });
}
