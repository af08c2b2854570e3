import { Sheet } from '../../parts/parts';
import { closeSheets, panelShown, panelSheet, width } from './layout';
import type { Route } from './routes';

/** The right column, or under 1024 px a sheet with the same content. */
export function SidePanel({ route }: { route: Route | null }) {
    const Panel = route?.panel;
    if (!Panel) return null;
    const title = route.panelTitle ?? 'Details';
    if (panelSheet.value)
        return (
            <Sheet title={title} side={width.value === 'narrow' ? 'bottom' : 'right'} onClose={closeSheets}>
                <Panel />
            </Sheet>
        );
    if (!panelShown.value) return null;
    return (
        <aside class="frame-panel" aria-label={title}>
            <Panel />
        </aside>
    );
}
