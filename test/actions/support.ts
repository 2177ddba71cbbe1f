import type { Test } from 'tap'
import type { ActionOptions, EditorControlDefaults } from '../../lib/index.js'
import { HANDLER, type Host, type HostOptions, startHost } from '../kit/host.js'
import { memoryLog } from '../kit/log.js'

export const ADA = { id: 'ada', name: 'Ada' }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Without the tokens. */
  readonly body: Readonly<Record<string, any>>
  /** What every answer that is no error has besides. */
  readonly tokens: { readonly pageToken?: string, readonly proxyToken?: string }
}

export interface PageHost extends Host {
  /** A stored document, `Report.docx`. */
  readonly fileId: string
  readonly records: ReturnType<typeof memoryLog>['records']
  readonly logText: () => string
  /** The token of a page with the document. */
  tokenOf (defaults?: EditorControlDefaults, fileId?: string): Promise<string>
  /** Asks as a page's module does; an object as JSON. */
  ask (action: string, body?: unknown, options?: AskOptions): Promise<Answer>
}

export interface AskOptions {
  /** Default: that of Ada's page. */
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  readonly method?: string
}

/** An application with actions, really listening. */
export async function startPageHost (t: Test, { actions = {}, ...options }: HostOptions & { readonly actions?: ActionOptions } = {}): Promise<PageHost> {
  const log = memoryLog()
  const host = await startHost(t, { actions, server: log.server, ...options })
  const { fileId } = await host.storage.create('docx', Buffer.from('PK\u0003\u0004 a report'))

  async function tokenOf (defaults: EditorControlDefaults = { user: ADA }, id = fileId): Promise<string> {
    return (await host.app.editorControl(defaults).openDocument(id, { name: 'Report.docx' })).pageToken
  }

  return {
    ...host,
    fileId,
    records: log.records,
    logText: log.text,
    tokenOf,
    async ask (action, body = {}, { headers = {}, method = 'POST', ...given } = {}) {
      const token = 'token' in given ? given.token : await tokenOf()
      const response = await fetch(`${host.origin}${HANDLER}/actions/${action}`, {
        method,
        headers: { 'content-type': 'application/json', ...(token !== undefined && { 'x-editor-page-token': token }), ...headers },
        ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '')
      const { pageToken, proxyToken, ...answer } = isJson ? JSON.parse(text) : { text }
      return { status: response.status, headers: response.headers, body: answer, tokens: { ...(pageToken !== undefined && { pageToken, proxyToken }) } }
    }
  }
}
