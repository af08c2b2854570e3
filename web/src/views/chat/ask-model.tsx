// ask-model.tsx: picks the model that gives another answer; mounted once by the view.

import { useEffect, useState } from 'preact/hooks';
import { Sheet } from '../../parts/parts';
import { modelOptions, readOffers, type ModelOption } from '../agents/models';
import { another, modelFor } from './alternatives';

function Models() {
    const [options, setOptions] = useState<ModelOption[] | string>('Looking for models…');
    useEffect(() => {
        const stop = new AbortController();
        void readOffers(stop.signal).then(a => {
            const found = a.ok ? modelOptions(a.value, null) : [];
            if (!stop.signal.aborted)
                setOptions(found.length ? found : a.ok ? 'No model is offered.' : a.trouble.detail);
        });
        return () => stop.abort();
    }, []);
    if (typeof options === 'string') return <p class="muted">{options}</p>;
    return (
        <ul class="chat-sheet">
            {options.map(o => (
                <li key={o.value}>
                    <button
                        type="button"
                        onClick={() => {
                            const m = modelFor.peek();
                            modelFor.value = null;
                            if (m) void another(m, o.value);
                        }}
                    >
                        {o.label}
                    </button>
                </li>
            ))}
        </ul>
    );
}

export function AskModel() {
    if (modelFor.value === null) return null;
    return (
        <Sheet
            title="Ask another model"
            onClose={() => {
                modelFor.value = null;
            }}
        >
            <Models />
        </Sheet>
    );
}
