import { randomUUID } from 'node:crypto'
import type { EditorMessages } from '../../types/control.js'
import { InvalidOptionError } from '../errors.js'
import { escapeHtml } from '../html.js'

export interface PageUrls {
  /** URL of the document server's api.js. */
  readonly editorApiUrl: string
  /** Path of the handler. */
  readonly handlerPath: string
  /** Path of the module that mounts the editor. */
  readonly modulePath: string
}

export interface PageContent {
  readonly configJson: string
  /** `''` when the page shows no stored file. */
  readonly fileId: string
  readonly proxyToken: string
  /** Texts of the page that replace the default ones. */
  readonly messages?: EditorMessages | undefined
}

const messageNames: Readonly<Record<keyof EditorMessages, true>> = {
  loading: true,
  slow: true,
  unreachable: true,
  unreachableAdvice: true,
  failed: true,
  failedAdvice: true,
  outdated: true,
  outdatedAdvice: true,
  tryAgain: true,
  reload: true
}

/** The HTML that becomes the editor. It contains data and no inline script, for pages with a strict CSP. */
export function renderFragment ({ configJson, fileId, proxyToken, messages }: PageContent, { editorApiUrl, handlerPath, modulePath }: PageUrls): string {
  const id = `onlyoffice-editor-${randomUUID()}`
  const data = { api: editorApiUrl, handler: handlerPath, 'file-id': fileId, 'proxy-token': proxyToken, ...(messages && { messages: messagesJson(messages) }) }
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`).join('')
  return `<div class="onlyoffice-editor" data-onlyoffice-editor${attributes}>
<script type="application/json">${inertJson(configJson)}</script>
<div id="${id}"></div>
</div>
<script type="module" src="${escapeHtml(modulePath)}"></script>`
}

function messagesJson (messages: EditorMessages): string {
  for (const [name, text] of Object.entries(messages)) {
    if (!Object.hasOwn(messageNames, name)) throw new InvalidOptionError(`messages.${name}`, `is unknown: use ${Object.keys(messageNames).join(', ')}`)
    if (text !== undefined && typeof text !== 'string') throw new InvalidOptionError(`messages.${name}`, 'must be a string')
  }
  return JSON.stringify(messages)
}

/** JSON without characters that could end the script element, start a comment or end a line of JavaScript. */
function inertJson (json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
