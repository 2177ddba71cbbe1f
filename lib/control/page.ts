import { randomUUID } from 'node:crypto'
import type { RenderOptions } from '../../types/control.js'
import { escapeHtml } from '../html.js'

export interface PageUrls {
  /** URL of the document server's api.js. */
  readonly editorApiUrl: string
  /** Path of the handler. */
  readonly handlerPath: string
  /** Path of the module that mounts the editor. */
  readonly modulePath: string
}

export interface PageContent extends Pick<RenderOptions, 'closeUrl' | 'events' | 'messages'> {
  readonly configJson: string
  /** `''` when the page shows no stored file. */
  readonly fileId: string
  readonly proxyToken: string
  /** `''` when the page cannot ask for anything. */
  readonly pageToken: string
  /** Milliseconds after which the page renews its token. */
  readonly renewAfter: number
  /** Names of what the page can ask for, besides configurations. */
  readonly actions: readonly string[]
}

/** The HTML that becomes the editor. It contains data and no inline script, for pages with a strict CSP. */
export function renderFragment ({ configJson, fileId, proxyToken, pageToken, renewAfter, actions, events, closeUrl, messages }: PageContent, { editorApiUrl, handlerPath, modulePath }: PageUrls): string {
  const id = `onlyoffice-editor-${randomUUID()}`
  const data = {
    api: editorApiUrl,
    handler: handlerPath,
    'file-id': fileId,
    'proxy-token': proxyToken,
    ...(pageToken && { 'page-token': pageToken, 'renew-after': String(renewAfter), actions: actions.join(' ') }),
    ...(events && { events: events.join(' ') }),
    ...(closeUrl !== undefined && { 'close-url': closeUrl }),
    ...(messages && { messages: JSON.stringify(messages) })
  }
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`).join('')
  return `<div class="onlyoffice-editor" data-onlyoffice-editor${attributes}>
<script type="application/json">${inertJson(configJson)}</script>
<div id="${id}"></div>
</div>
<script type="module" src="${escapeHtml(modulePath)}"></script>`
}

/** JSON without characters that could end the script element, start a comment or end a line of JavaScript. */
function inertJson (json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
