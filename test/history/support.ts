import type { Test } from 'tap'
import { type EditorControl, type EditorControlDefaults, type HistoryVersionData } from '../../lib/index.js'
import { quickStorage } from '../kit/storage.js'
import { type Service, type ServiceOptions, startService } from '../kit/sessions.js'

export const ADA = { id: 'ada', name: 'Ada' }
export const GRACE = { id: 'grace', name: 'Grace' }

export interface Historian extends Service {
  /** Opens, edits and closes the document as one user. */
  edit (content: string, user?: NonNullable<EditorControlDefaults['user']>): Promise<void>
  control (defaults?: EditorControlDefaults): Promise<EditorControl>
  /** The numbers of the versions, and their contents as the document server fetches them. */
  contents (): Promise<Array<[number, string]>>
  /** What the document server fetches for a version. */
  fetched(
    version: number
  ): Promise<
    {
      readonly data: HistoryVersionData,
      readonly content: string,
      readonly changes: Buffer | undefined,
      readonly previous: string | undefined
    }
  >
}

interface HistorianOptions extends ServiceOptions {
  /** Default: in memory. */
  readonly inFiles?: boolean
}

/** A service that keeps versions of its document. */
export async function startHistorian (t: Test, { inFiles = false, storing = storage => storage, ...options }: HistorianOptions = {}): Promise<Historian> {
  const quick = await quickStorage(t)
  const service = await startService(t, { versions: {}, storing: files => storing(inFiles ? files : quick), ...options })
  const control = async (defaults: EditorControlDefaults = { user: ADA }) => await service.app.editorControl(defaults).openDocument(service.fileId)

  return {
    ...service,
    control,
    async edit (content, user = ADA) {
      const session = await service.open({ user })
      await session.edit(content)
      t.match(await session.close(), { status: 2, accepted: true })
    },
    async contents () {
      const opened = await control()
      const { history } = await opened.history()
      return await Promise.all(history.map(async ({ version }): Promise<[number, string]> => [version, await textAt((await opened.historyData(version)).url)]))
    },
    async fetched (version) {
      const data = await (await control()).historyData(version)
      const { url, changesUrl, previous } = data
      return {
        data,
        content: await textAt(url),
        changes: changesUrl === undefined ? undefined : Buffer.from(await (await responseAt(changesUrl)).arrayBuffer()),
        previous: previous && await textAt(previous.url)
      }
    }
  }
}

export async function responseAt (url: string): Promise<Response> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return response
}

async function textAt (url: string): Promise<string> {
  return await (await responseAt(url)).text()
}
