// edit.tsx: the door of this folder.
import './edit.css';
import { EditDialog } from './edit-dialog';
import { Phases } from './phases';

export { startEdit } from './flow';
export { PartialFailure, useEditing } from './phases';
export { RecoveryBanner } from './recovery';

/** Mounted once by the frame. */
export function EditHost() {
    return (
        <>
            <EditDialog />
            <Phases />
        </>
    );
}
