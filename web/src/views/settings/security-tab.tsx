import { needsToken, token } from '../../api/client';
import type { Settings } from '../../api/types';
import { Button } from '../../parts/parts';
import { state } from '../../store/store';
import { ConfigRows } from './config-rows';
import { entryOf } from './settings-data';
import { isHere } from './provider-words';

export function SecurityTab({ settings }: { settings: Settings | null }) {
    const listen = String(entryOf(settings, 'server.listen')?.value ?? '');
    return (
        <>
            <section aria-labelledby="security-who" class="settings-form">
                <h2 id="security-who">Who can reach it</h2>
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
            <section aria-labelledby="security-token" class="settings-form">
                <h2 id="security-token">Token</h2>
                <p>
                    {token.value !== '' &&
                        !needsToken.value &&
                        '● This tab has a token. It is forgotten when the tab is closed.'}
                    {token.value === '' && !needsToken.value && '○ No token is needed here.'}
                    {needsToken.value && '✕ The server wants a token that this tab does not have.'}
                </p>
                {token.value !== '' && (
                    <div class="settings-actions">
                        <Button
                            onClick={() => {
                                token.value = '';
                            }}
                        >
                            Forget the token
                        </Button>
                    </div>
                )}
            </section>
            <section aria-labelledby="security-values">
                <h2 id="security-values">Where a value comes from</h2>
                <ConfigRows
                    settings={settings}
                    rows={[
                        ['server.listen', 'Answers at'],
                        ['server.signIn', 'Asks for a token'],
                        ['server.allowOrigins', 'Other pages that may use it'],
                        ['limits.requestsPerMinute', 'Requests a minute'],
                        ['limits.messageBytes', 'Longest message'],
                    ]}
                />
            </section>
        </>
    );
}
