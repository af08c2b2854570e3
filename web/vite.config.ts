import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

// Where `npm run dev` finds a server; it takes requests from its own pages only, hence the origin.
const target = process.env.SKEIN_URL ?? 'http://127.0.0.1:7534';

// What asks the first questions is a script of its own, which waits neither for the others nor for the styles.
const early: Plugin = {
    name: 'early',
    transformIndexHtml: {
        order: 'post',
        handler: (_html, { bundle }) =>
            Object.values(bundle ?? {})
                .filter(part => part.type === 'chunk' && part.name === 'early')
                .map(part => ({
                    tag: 'script',
                    attrs: { type: 'module', async: true, crossorigin: true, src: `/${part.fileName}` },
                    injectTo: 'head-prepend',
                })),
    },
};

// The policy of the server (see ../docs/decisions/0019) forbids scripts and styles inside a page,
// so nothing here may be inlined.
export default defineConfig({
    root: here,
    base: '/',
    plugins: [early],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
        outDir: process.env.SKEIN_WEB_OUT ?? '../build/web',
        emptyOutDir: true,
        assetsDir: 'assets',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        sourcemap: false,
        target: 'es2022',
        reportCompressedSize: false,
        rollupOptions: { input: { index: `${here}index.html`, early: `${here}src/api/early.ts` } },
    },
    server: {
        host: '127.0.0.1',
        proxy: { '/api': { target, changeOrigin: true, headers: { origin: new URL(target).origin } } },
    },
    test: {
        environment: 'happy-dom',
        testTimeout: 60_000, // one that hangs is ended; a busy machine is no failure
        // What draws begins with a page of its own. The others share a process, as they take it: to set up a page
        // for each of them took three quarters of the time.
        projects: [
            {
                extends: true,
                test: {
                    name: 'plain',
                    isolate: false,
                    include: ['src/**/*.test.ts', 'tests/unit/**/*.test.ts', 'tools/**/*.test.mjs'],
                },
            },
            {
                extends: true,
                test: { name: 'drawn', include: ['src/**/*.test.tsx', 'tests/unit/**/*.test.tsx'] },
            },
        ],
    },
});
