// narrow.ts: whether the page is a telephone's, where there is one column and fingers need room.

import { useEffect, useState } from 'preact/hooks';

export const NARROW = '(max-width: 639px)';

export function useNarrow(): boolean {
    const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
    useEffect(() => {
        const query = matchMedia(NARROW);
        const follow = () => setNarrow(query.matches);
        follow();
        query.addEventListener('change', follow);
        return () => query.removeEventListener('change', follow);
    }, []);
    return narrow;
}
