import { useSignal } from '@preact/signals';
import { Button, Dialog, TroubleBox } from '../../parts/parts';
import { signIn } from '../../api/calls';
import { needsToken, type Trouble } from '../../api/client';
import { retryNow } from '../../store/store';

/** Asked for only when the server says so. A form with a name, so that paste and password managers work. */
export function SignIn() {
    const typed = useSignal('');
    const trouble = useSignal<Trouble | null>(null);
    const busy = useSignal(false);
    if (!needsToken.value) return null;
    const submit = async (event: Event) => {
        event.preventDefault();
        if (!typed.value.trim() || busy.value) return;
        busy.value = true;
        const answer = await signIn({ token: typed.value.trim() });
        busy.value = false;
        if (!answer.ok) {
            trouble.value =
                answer.trouble.status === 401
                    ? {
                          ...answer.trouble,
                          title: 'The server does not accept this token.',
                          detail: 'Check for a missing letter, or ask for a new token.',
                      }
                    : answer.trouble;
            return;
        }
        typed.value = '';
        trouble.value = null;
        retryNow();
    };
    return (
        <Dialog title="Sign in" onClose={() => undefined} class="sign-in">
            <form onSubmit={submit} class="sign-in-form">
                <p>
                    This browser is not signed in. The user who runs the server gets the token with “skein
                    token”, or opens the page signed in with “skein open”.
                </p>
                <input
                    type="text"
                    name="username"
                    autocomplete="username"
                    value="skein"
                    class="visually-hidden"
                    tabIndex={-1}
                    aria-hidden="true"
                    readOnly
                />
                <label for="sign-in-token" class="field-label">
                    Token
                </label>
                <input
                    id="sign-in-token"
                    class="input"
                    type="password"
                    name="password"
                    autocomplete="current-password"
                    required
                    data-autofocus=""
                    value={typed.value}
                    spellcheck={false}
                    aria-invalid={trouble.value ? true : undefined}
                    aria-describedby={trouble.value ? 'sign-in-trouble' : undefined}
                    onInput={event => {
                        typed.value = event.currentTarget.value;
                    }}
                />
                {trouble.value && (
                    <div id="sign-in-trouble" role="alert">
                        <TroubleBox trouble={trouble.value} />
                    </div>
                )}
                <p class="field-hint">This browser stays signed in for 90 days, or until you sign out.</p>
                <div class="dialog-actions">
                    <Button kind="main" type="submit" busy={busy.value}>
                        Sign in
                    </Button>
                </div>
            </form>
        </Dialog>
    );
}
