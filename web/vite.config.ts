import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

// Where `npm run dev` finds a server; it takes requests from its own pages only, hence the origin.
const target = process.env.SKEIN_URL ?? 'http://127.0.0.1:7534';

// The policy of the server (see ../docs/decisions/0019) forbids scripts and styles inside a page,
// so nothing here may be inlined.
export default defineConfig({
    root: here,
    base: '/',
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
    },
    server: {
        host: '127.0.0.1',
        proxy: { '/api': { target, changeOrigin: true, headers: { origin: new URL(target).origin } } },
    },
    test: {
        environment: 'happy-dom',
        testTimeout: 60_000, // one that hangs is ended; a busy machine is no failure
        include: ['src/**/*.test.{ts,tsx}', 'tests/unit/**/*.test.{ts,tsx}', 'tools/**/*.test.mjs'],
    },
});
