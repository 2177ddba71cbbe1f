import { randomUUID } from 'node:crypto'

export interface PageAddresses {
  /** The document server's api.js. */
  readonly editorApiUrl: string
  /** Path of the handler. */
  readonly handlerPath: string
  /** Path of the page's module, which mounts the editor. */
  readonly modulePath: string
}

export interface PageContent {
  readonly configJson: string
  /** Of the stored file in the page; `''` when there is none. */
  readonly fileId: string
  readonly proxyToken: string
}

/** The fragment that becomes the editor. It holds data only, no inline script, so that a strict CSP can stay strict. */
export function renderFragment ({ configJson, fileId, proxyToken }: PageContent, { editorApiUrl, handlerPath, modulePath }: PageAddresses): string {
  const id = `onlyoffice-editor-${randomUUID()}`
  const data = { api: editorApiUrl, handler: handlerPath, 'file-id': fileId, 'proxy-token': proxyToken }
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${attribute(value)}"`).join('')
  return `<div class="onlyoffice-editor" data-onlyoffice-editor${attributes}>
<script type="application/json">${inertJson(configJson)}</script>
<div id="${id}"></div>
</div>
<script type="module" src="${attribute(modulePath)}"></script>`
}

/** JSON in which nothing can end the script element, open a comment or end a line of JavaScript. */
function inertJson (json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function attribute (value: string): string {
  return value.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
