import { randomUUID } from 'node:crypto'
import type { EditorMessages, RenderOptions } from '../../types/control.js'
import { InvalidOptionError } from '../errors.js'
import { escapeHtml } from '../html.js'
import { assertOptions, isObject, listOf, rule, stringThat } from '../rules.js'
import { isPageUrl } from '../url.js'

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
  /** Names of what the page can ask for, besides configurations. */
  readonly actions: readonly string[]
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
  reload: true,
  denied: true,
  notFound: true,
  nameTaken: true,
  beingEdited: true,
  beingEditedAdvice: true,
  tooLarge: true,
  refused: true,
  notDone: true,
  notDoneAdvice: true,
  offlineAdvice: true,
  savingCopy: true,
  copySaved: true,
  restoring: true,
  created: true,
  linkReady: true,
  open: true,
  dismiss: true,
  closing: true,
  unsent: true,
  unsentAdvice: true,
  closeAnyway: true,
  keepOpen: true,
  closed: true,
  openAgain: true,
  chooseImage: true,
  chooseCompare: true,
  chooseCombine: true,
  chooseInsert: true,
  chooseSpreadsheet: true,
  search: true,
  searching: true,
  nothingFound: true,
  cancel: true
}

const renderRules = {
  events: rule('must be a list of events of the editor, such as onRequestClose', listOf(stringThat(name => /^on[A-Z][A-Za-z]*$/.test(name)))),
  closeUrl: rule('must be an http(s) URL, or a path that begins with one slash', stringThat(isPageUrl)),
  lang: rule('must be a language such as de or pt-BR', stringThat(lang => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(lang))),
  messages: rule('must be an object', isObject)
}

export function assertRenderOptions (options: RenderOptions): void {
  assertOptions(renderRules, options)
}

/** The HTML that becomes the editor. It contains data and no inline script, for pages with a strict CSP. */
export function renderFragment ({ configJson, fileId, proxyToken, pageToken, actions, events, closeUrl, messages }: PageContent, { editorApiUrl, handlerPath, modulePath }: PageUrls): string {
  const id = `onlyoffice-editor-${randomUUID()}`
  const data = {
    api: editorApiUrl,
    handler: handlerPath,
    'file-id': fileId,
    'proxy-token': proxyToken,
    ...(pageToken && { 'page-token': pageToken, actions: actions.join(' ') }),
    ...(events && { events: events.join(' ') }),
    ...(closeUrl !== undefined && { 'close-url': closeUrl }),
    ...(messages && { messages: messagesJson(messages) })
  }
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
