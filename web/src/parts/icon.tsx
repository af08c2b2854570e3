// Drawn for this program on a 16 × 16 grid, so that nothing has to be downloaded and lines match the text.
const paths = {
    plus: 'M8 3v10M3 8h10',
    close: 'M4 4l8 8M12 4l-8 8',
    menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
    more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
    back: 'M9.5 3.5L5 8l4.5 4.5',
    forward: 'M6.5 3.5L11 8l-4.5 4.5',
    up: 'M8 13V3.5M4 7l4-4 4 4',
    down: 'M8 3v9.5M4 9l4 4 4-4',
    chevronDown: 'M4 6l4 4 4-4',
    chevronRight: 'M6 4l4 4-4 4',
    search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14',
    reply: 'M6.5 4L3 7.5 6.5 11M3.2 7.5H9a4 4 0 0 1 4 4v1',
    edit: 'M3 13l.7-3L10.8 2.9a1.2 1.2 0 0 1 1.7 0l.6.6a1.2 1.2 0 0 1 0 1.7L6 12.3 3 13z',
    branch: 'M5 3v10M5 9a5 5 0 0 0 5-5M3.5 3h3M3.5 13h3M8.5 4h3',
    inspect: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.7M8 5h.01',
    copy: 'M6 5.5h6.5v8H6zM3.5 10.5v-8H10',
    link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8',
    export: 'M8 10V2.5M5 5.2L8 2.4l3 2.8M3 9.5v4h10v-4',
    trash: 'M3 4.5h10M6.2 4.5V2.8h3.6v1.7M4.4 4.5l.6 8.8h6l.6-8.8',
    send: 'M8 13V3.5M4 7.2l4-4 4 4',
    stop: 'M4.5 4.5h7v7h-7z',
    undo: 'M5.5 3L2.5 6l3 3M2.8 6H9a4 4 0 0 1 0 8H6',
    redo: 'M10.5 3l3 3-3 3M13.2 6H7a4 4 0 0 0 0 8h3',
    check: 'M3 8.5l3.3 3.3L13 4.8',
    clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
    pause: 'M5.5 3.5v9M10.5 3.5v9',
    play: 'M5 3.3l7.5 4.7L5 12.7z',
    settings: 'M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3',
    inbox: 'M2.5 9L4.3 3h7.4l1.8 6v4h-11zM2.7 9h3.1l.9 1.7h2.6L10.2 9h3.1',
    people: 'M6 7.6a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.3-2.5 2-4 4.2-4s3.9 1.5 4.2 4M10.6 3.3a2.3 2.3 0 0 1 0 4.1M11.6 9.2c1.5.5 2.4 1.8 2.6 3.8',
    chat: 'M2.5 3h11v8H7.5L4.5 13.6V11h-2z',
    tree: 'M4 2.5v9.5h3M4 6.5h3M7 5h6v3H7zM7 10.5h6v3H7zM2.5 2.5h3',
    timeline: 'M2.5 4h6M5 8h7M8 12h5.5',
    history: 'M2.6 6A5.7 5.7 0 1 1 2.4 9.5M2.4 3v3.2h3.2M8 5v3.2l2.2 1.3',
    panel: 'M2.5 3h11v10h-11zM10 3v10',
    list: 'M2.5 3h11v10h-11zM6 3v10',
    sparkle: 'M8 2.5l1.4 4.1 4.1 1.4-4.1 1.4L8 13.5 6.6 9.4 2.5 8l4.1-1.4z',
    warn: 'M8 2.5l6 11H2zM8 6.8v3M8 11.6h.01',
    globe: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.6 4 2.6 6S10 12 8 14M8 2C6 4 5.4 6 5.4 8S6 12 8 14',
    help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.6a1.7 1.7 0 1 1 2.6 1.5c-.6.3-.9.7-.9 1.3M8 11.3h.01',
    filter: 'M2.5 3.5h11L9.5 8.5v4l-3 1.2V8.5z',
    tag: 'M2.5 2.8h5l6 6-4.9 4.9-6-6zM5.3 5.5h.01',
} as const;

export type IconName = keyof typeof paths;

/** Always decoration: the name belongs to the button or the words beside it. */
export function Icon({ name }: { name: IconName }) {
    return (
        <svg
            class={`icon icon-${name}`}
            viewBox="0 0 16 16"
            width="16"
            height="16"
            aria-hidden="true"
            focusable="false"
        >
            <path d={paths[name]} />
        </svg>
    );
}
