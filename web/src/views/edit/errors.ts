// errors.ts: edits of a world that failed or were left half done, as the server lists them: what an import or a crash
// left. What a person puts away is hidden in this browser only.
import { computed, signal } from '@preact/signals';
import { listEditErrors } from '../../api/calls';
import type { EditError } from '../../api/types';
import { keep, kept } from '../../store/keep';

const HIDDEN = 'skein.editErrorsHidden';
const HIDDEN_MOST = 200;

const read = (): string[] => {
    const ids = kept(HIDDEN);
    return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
};
const hidden = signal<string[]>(read());
const listed = signal<EditError[]>([]);

export const editErrors = computed(() => listed.value.filter(e => !hidden.value.includes(nameOf(e))));

// One that is left half done has the id of its conversation, which may have another one later.
const nameOf = (e: EditError) => `${e.id} ${e.createdAt}`;

let latest = 0;
let of = '';

/** Reads those of a world again. A list that cannot be read stays as it is: nothing waits for it. */
export async function lookForEditErrors(w: string): Promise<void> {
    const mine = ++latest;
    if (of !== w) listed.value = [];
    of = w;
    const got = await listEditErrors(w);
    if (got.ok && mine === latest) listed.value = got.value.data;
}

export function putAway(gone: EditError[]): void {
    hidden.value = [...gone.map(nameOf), ...hidden.value].slice(0, HIDDEN_MOST);
    keep(HIDDEN, hidden.value);
}
