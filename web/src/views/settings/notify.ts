// notify.ts: telling a person who is elsewhere that an agent cannot go on without them. Routine progress stays inside.

import { getInboxItem } from '../../api/calls';
import type { InboxItem } from '../../api/types';
import { go } from '../../store/place';
import { prefs, setPref } from '../../store/prefs';
import { on } from '../../store/store';
import { kindOf, titleOf } from '../inbox/kinds';

const ACTS = new Set(['question', 'approval', 'failure']);

export function canNotify(): boolean {
    return 'Notification' in globalThis;
}

/** Not in front: another tab or another program is. */
export function away(): boolean {
    return document.visibilityState === 'hidden' || !document.hasFocus();
}

/** Asked only when somebody pressed the button for it. */
export async function switchOn(): Promise<NotificationPermission> {
    const answer = await Notification.requestPermission();
    setPref('notify', answer === 'granted');
    return answer;
}

function show(item: InboxItem): void {
    const who = item.agent ? `@${item.agent} ` : '';
    const note = new Notification(`${who}${kindOf(item).says}`, { body: titleOf(item), tag: item.id });
    note.onclick = () => {
        window.focus();
        go({ kind: 'inbox', item: item.id });
        note.close();
    };
}

/** From the start of the page to its end. */
export function startNotifications(): () => void {
    return on('inbox.created', event => {
        if (!prefs.value.notify || !canNotify() || Notification.permission !== 'granted' || !away()) return;
        if (!ACTS.has(event.data.type)) return;
        void getInboxItem(event.data.id).then(r => {
            if (r.ok) show(r.value);
        });
    });
}
