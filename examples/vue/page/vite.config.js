import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const APPLICATION = 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement: tag => tag === 'document-editor' } } })],
  // Only in a clone of this repository, which is the package itself. Elsewhere: npm install fastify-onlyoffice
  resolve: {
    alias: {
      'fastify-onlyoffice/browser/document-editor': fileURLToPath(
        new URL('../../../dist/lib/browser/document-editor.js', import.meta.url)
      )
    }
  },
  // For `npm run dev`, beside a running server.
  server: { proxy: { '/documents': APPLICATION, '/editor': APPLICATION } }
})
