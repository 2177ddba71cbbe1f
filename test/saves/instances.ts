import { join } from 'node:path'
import type { Test } from 'tap'
import { type Editing, errorOf } from '../kit/editing.js'
import { type Host, type HostOptions, startHost } from '../kit/host.js'

export interface Instance extends Host {
  openedKey (): Promise<string>
  post (fields: object): Promise<unknown>
}

/** Another instance of a service, over the same documents: another process would see no more of the first one. */
export async function startInstance (t: Test, { origin, documentServer, fileId, others }: Editing, options: HostOptions): Promise<Instance> {
  const host = await startHost(t, {
    documentServerOrigin: documentServer.origin,
    publicBaseUrl: origin,
    storage: others.open(),
    saveRetries: 0,
    ...options
  })
  return {
    ...host,
    openedKey: async () => (await host.app.editorControl().openDocument(fileId)).documentKey,
    post: async fields => errorOf((await host.postSignedCallback(fileId, fields)).body)
  }
}

/** Where `startEditing` keeps documents that are files. */
export function directoryOf (t: Test): string {
  return join(t.testdirName, 'uploads')
}
