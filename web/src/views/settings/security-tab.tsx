import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getSession, signOut } from '../../api/calls';
import { needsToken } from '../../api/client';
import type { Settings } from '../../api/types';
import { Button } from '../../parts/parts';
import { state } from '../../store/store';
import { ConfigRows } from './config-rows';
import { entryOf } from './settings-data';
import { isHere } from './provider-words';

/** Who this browser is to the server. */
function SignedIn() {
    const kind = useSignal<string | null>(null);
    useEffect(() => {
        void getSession().then(answer => {
            kind.value = answer.ok ? answer.value.kind : null;
        });
    }, [needsToken.value]);
    const leave = async () => {
        const answer = await signOut();
        if (answer.ok) needsToken.value = true;
    };
    return (
        <section aria-labelledby="security-token" class="settings-form">
            <h2 id="security-token">Signed in</h2>
            {kind.value === 'owner' && <p>○ No token is needed here: you run this server.</p>}
            {kind.value === 'session' && <p>● This browser is signed in.</p>}
            {needsToken.value && <p>✕ This browser is not signed in.</p>}
            {kind.value === 'session' && !needsToken.value && (
                <div class="settings-actions">
                    <Button onClick={() => void leave()}>Sign out</Button>
                </div>
            )}
        </section>
    );
}

export function SecurityTab({ settings }: { settings: Settings | null }) {
    const listen = String(entryOf(settings, 'server.listen')?.value ?? '');
    return (
        <>
            <section aria-labelledby="security-who" class="settings-form">
                <h2 id="security-who">Who can connect</h2>
                {settings &&
                    (isHere(listen) ? (
                        <p>● This computer only: it answers at {listen}.</p>
                    ) : (
                        <p>
                            ◐ Other computers too: it answers at {listen || 'an address of its own'}. Requests
                            need a token.
                        </p>
                    ))}
                {state.value.readOnly && <p>‖ Read only: nothing can be changed on this server.</p>}
            </section>
            <SignedIn />
            <section aria-labelledby="security-values">
                <h2 id="security-values">Origin of values</h2>
                <ConfigRows
                    settings={settings}
                    rows={[
                        ['server.listen', 'Answers at'],
                        ['server.signIn', 'Requires a token'],
                        ['server.allowOrigins', 'Other pages that may use the API'],
                        ['limits.requestsPerMinute', 'Requests per minute'],
                        ['limits.messageBytes', 'Longest message'],
                    ]}
                />
            </section>
        </>
    );
}
