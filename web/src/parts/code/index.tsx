// The door of this folder.
export { CodeBlock } from './code-block';
