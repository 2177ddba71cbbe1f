import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Example, startExample, temporaryDirectory } from './example.js'

export { temporaryDirectory }

export interface Demo extends Pick<Example, 'url' | 'stop'> {
  idOf (name: string): Promise<string>
  /** The stored bytes, as the demo hands them out. */
  download (name: string): Promise<Uint8Array>
  pdf (name: string): Promise<Uint8Array>
}

/** The demo as `npm start` runs it, with its documents in `directory`. */
export async function startDemo (t: Test, options: { readonly directory?: string, readonly env?: NodeJS.ProcessEnv } = {}): Promise<Demo> {
  const directory = options.directory ?? await temporaryDirectory(t)
  // Without thumbnails: LibreOffice would take the time of other tests.
  const { url, stop } = await startExample(t, 'demo/server.js', { directory, env: { DATA_DIR: directory, THUMBNAILS: 'off', ...options.env } })

  async function idOf (name: string): Promise<string> {
    const entries: Array<{ id: string, name: string }> = JSON.parse(await readFile(join(directory, 'documents.json'), 'utf8'))
    const entry = entries.find(entry => entry.name === name)
    if (!entry) throw new Error(`the demo has no ${name}`)
    return entry.id
  }

  async function bytes (path: string): Promise<Uint8Array> {
    const response = await fetch(url + path)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return new Uint8Array(await response.arrayBuffer())
  }

  return {
    url,
    idOf,
    download: async name => bytes(`/documents/${await idOf(name)}/download`),
    pdf: async name => bytes(`/documents/${await idOf(name)}/pdf`),
    stop
  }
}
