// edit.tsx: the door of this folder.
import './edit.css';

/** Mounted once by the frame, each where it belongs. */
export { EditDialog as EditHost } from './edit-dialog';
export { startEdit, startRemoval } from './flow';
export { EditErrorsEntry } from './errors-entry';
export { Phases as EditPhases, useEditing } from './phases';
export { RecoveryBanner } from './recovery';
