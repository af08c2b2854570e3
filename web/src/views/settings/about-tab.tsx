import { healthz, version } from '../../api/calls';
import type { Health, Settings, Version } from '../../api/types';
import { TroubleBox } from '../../parts/parts';
import { useLoad } from '../shared/load';
import { ConfigRows } from './config-rows';

export function AboutTab({ settings }: { settings: Settings | null }) {
    const read = useLoad<Version>('version', signal => version({ signal }));
    const health = useLoad<Health>('health', signal => healthz({ verbose: true }, { signal }));
    const v = read.value;
    return (
        <>
            <section aria-labelledby="about-program" class="settings-form">
                <h2 id="about-program">skein</h2>
                {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
                {v && (
                    <p>
                        Version {v.version}, API {v.api}, store schema {v.schema}.
                    </p>
                )}
                {health.value && (
                    <ul class="about-checks">
                        {health.value.checks.map(c => (
                            <li key={c.name}>
                                {c.ok ? '✓' : '✕'} {c.name}
                                {c.detail ? `: ${c.detail}` : ''}
                            </li>
                        ))}
                    </ul>
                )}
                <ul class="about-links">
                    <li>
                        <a href="/docs" target="_blank" rel="noopener">
                            The HTTP API
                        </a>
                    </li>
                    <li>
                        <a href="/openapi.json" target="_blank" rel="noopener">
                            The API as OpenAPI 3.1
                        </a>
                    </li>
                </ul>
                <p class="muted">
                    skein: MIT licence. Parts of this page: Preact and its signals (MIT), marked (MIT),
                    highlight.js (BSD 3-Clause). It loads nothing from elsewhere.
                </p>
            </section>
            <section aria-labelledby="about-log">
                <h2 id="about-log">Log</h2>
                <ConfigRows
                    settings={settings}
                    rows={[
                        ['log.level', 'How much'],
                        ['log.format', 'Form'],
                    ]}
                />
            </section>
        </>
    );
}
