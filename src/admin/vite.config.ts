import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  publicDir: false,
  plugins: [react()],
  // Two packages bring one each.
  resolve: { dedupe: ['jsonld'] },
  build: {
    // Files lie flat beside the page, each with a hash of its content in its name.
    assetsDir: '',
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      output: {
        // What the first page needs is one file: in forty, one for each way in which later pages share it, it travels as 5 % more.
        codeSplitting: { groups: [{ name: 'first', test: /src[\\/]admin[\\/]main\.tsx$/ }] },
      },
    },
    reportCompressedSize: false,
  },
})
