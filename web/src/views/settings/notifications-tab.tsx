import { useState } from 'preact/hooks';
import { Button } from '../../parts/parts';
import { prefs, setPref } from '../../store/prefs';
import { canNotify, switchOn } from './notify';

export function NotificationsTab() {
    const [permission, setPermission] = useState(canNotify() ? Notification.permission : 'denied');
    const on = prefs.value.notify && permission === 'granted';
    return (
        <div class="settings-form">
            <p class="measure">
                The browser can tell you that an agent asks you something, wants to use a tool, or failed.
                Only then, and only while this page is not in front. What agents do by themselves stays
                inside.
            </p>
            <p>
                Now: <strong>{on ? '● on, only when you are away' : '○ off'}</strong>
            </p>
            {!canNotify() && <p>This browser has no notifications.</p>}
            {canNotify() && permission === 'denied' && (
                <p>
                    The browser blocks notifications for this page. Allow them in its settings for this
                    address, then come back.
                </p>
            )}
            <div class="settings-actions">
                {on ? (
                    <Button onClick={() => setPref('notify', false)}>Switch off</Button>
                ) : (
                    <Button
                        kind="main"
                        disabled={!canNotify() || permission === 'denied'}
                        onClick={() => void switchOn().then(setPermission)}
                    >
                        Switch on
                    </Button>
                )}
            </div>
        </div>
    );
}
