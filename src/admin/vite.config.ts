import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const own = (name: string) => `${import.meta.dirname}/core/${name}`

/** Loads the pages while the form for signing in, or the token of the tab, is read. Nothing of them runs before they are imported. */
const preloadedPages: Plugin = {
  name: 'preloaded-pages',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk' && file.name === 'first')
        .map(({ fileName }) => ({
          tag: 'link',
          // After the small files, which the form waits for.
          injectTo: 'body',
          attrs: {
            rel: 'modulepreload',
            crossorigin: true,
            fetchpriority: 'low',
            href: `/admin/${fileName}`,
          },
        })),
  },
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  publicDir: false,
  plugins: [react(), preloadedPages],
  resolve: {
    // Unused parts of libraries: a visitor would load 50 kB for them before the first rows.
    alias: [
      {
        find: /^(@api-platform\/api-doc-parser|jsonld|jsonexport\/dist\/index\.js)$/,
        replacement: own('api-doc-parser.ts'),
      },
      { find: 'object.entries', replacement: own('object-entries.cjs') },
    ],
  },
  build: {
    // Files are in the folder of the page, each with a hash of its content in its name.
    assetsDir: '',
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The form for signing in, with all that it needs.
            { name: 'sign-in', tags: ['$initial'], priority: 1 },
            // The first page is one file, which is a tenth smaller than thirty when compressed.
            { name: 'first', test: /\/App\.tsx$/ },
          ],
        },
      },
    },
  },
})
