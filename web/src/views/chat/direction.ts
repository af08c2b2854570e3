// direction.ts: the direction of what is written into a box. The browser finds it by itself (dir="auto"), and looks at
// every character of every line for that on each key: in a long text it takes seconds, so there the beginning decides.

/** Characters; a box that holds more is as high as it may be. */
export const LONG = 20_000;

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
    /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

export function directionOf(text: string): 'auto' | 'ltr' | 'rtl' {
    if (text.length <= LONG) return 'auto';
    const first = LETTER.exec(text.slice(0, LONG))?.[0] ?? '';
    return RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr';
}

/** Before the text is in the box: the browser lays it out before it says that there is something new. */
export function settleDirection(box: HTMLTextAreaElement, coming: string): void {
    const before = box.value.slice(0, box.selectionStart);
    const now = directionOf(before + coming + box.value.slice(box.selectionEnd));
    if (box.dir !== now) box.dir = now;
}
