// uploads.ts: files on their way into a message. A large image is made smaller here: no model looks at more.

import * as api from '../api/calls';
import { address, type Result } from '../api/client';
import type { File as Kept } from '../api/types';

const SIDE_MOST = 2048;

async function scaled(image: ImageBitmap, type: string): Promise<Blob | null> {
    const by = SIDE_MOST / Math.max(image.width, image.height);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.width * by);
    canvas.height = Math.round(image.height * by);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise(resolve => canvas.toBlob(resolve, type, 0.9));
}

/** The image with sides of at most 2048 pixels; what is none, or cannot be read, as it is. */
async function shrunk(file: File): Promise<Blob> {
    if (!/^image\/(png|jpeg|webp)$/.test(file.type)) return file;
    try {
        const image = await createImageBitmap(file);
        if (Math.max(image.width, image.height) <= SIDE_MOST) return file;
        return (await scaled(image, file.type)) ?? file;
    } catch {
        return file;
    }
}

export async function upload(w: string, file: File): Promise<Result<Kept>> {
    return api.addFile(w, await shrunk(file), { name: file.name || 'file' });
}

/** Where a file of a world is read. */
export function fileAddress(w: string, id: string): string {
    return address(`/worlds/${encodeURIComponent(w)}/files/${id}`);
}
