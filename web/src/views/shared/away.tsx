import { state } from '../../store/store';

/** Nothing can be changed now: the server cannot be asked. */
export function isAway(): boolean {
    return state.value.connection.state === 'offline';
}

/** The server is there, and what happens is told. */
export function isLive(): boolean {
    const now = state.value.connection.state;
    return now === 'live' || now === 'readOnly';
}

/** Beside buttons that are off while the server is away: why they are. */
export function AwayNote() {
    return isAway() ? (
        <span class="away-note">The server does not answer: this works again when it does.</span>
    ) : null;
}
