// squash.tsx: the door of this folder.
import './squash.css';

export { closed } from './selection';
export { SelectionBar } from './selection-bar';
export { SquashHost } from './squash-dialog';
export { open as openSquash } from './squash-flow';
