import type { SessionParts } from '../sessions/parts.js'
import type { OpenDocument } from '../sessions/open-document.js'
import { usersOf } from '../sessions/participants.js'
import { type Build, VERSION } from '../../version.js'
import type { LatestRequests, LoggedRequest } from './latest-requests.js'
import { Html, html } from './html.js'
import { REFRESH_SECONDS, SCRIPT } from './script.js'
import { STYLE } from './style.js'

const MEANINGS: Readonly<Record<string, string>> = {
  1: 'user joined or left',
  2: 'save',
  3: 'save failed',
  4: 'closed without changes',
  5: 'mail merge',
  6: 'force save',
  7: 'force save failed'
}

/** What an application needs to know about this server. */
export interface Settings {
  readonly build: Build
  readonly editorApiUrl: string
  readonly tokenHeader: string
  readonly libreOffice: boolean
  readonly remoteControl: boolean
}

/** Shows documents and requests, without secrets, tokens and query strings. */
export function statusPage (
  settings: Settings,
  { documents, forgotten }: SessionParts,
  latest: LatestRequests
): string {
  const open = documents.all().filter(isOpen)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>onlyoffice-emulator</title>
<style>${new Html(STYLE)}</style>
<script type="module">${new Html(SCRIPT)}</script>
</head>
<body>
<main>
<h1>onlyoffice-emulator <small>${VERSION}</small></h1>
<p>An emulated document server for tests and development. It is not ONLYOFFICE Docs: don't use it for documents that matter.</p>
${settingsSection(settings)}
${section('Open documents', open.length, table(['Document key', 'Format', 'Users', 'Unsaved'], open.map(documentRow)), 'No documents are open.')}
${section('Forgotten files', forgotten.size, table(['Document key', 'Format', 'Bytes'], [...forgotten].map(([key, { fileType, bytes }]) => [code(key), fileType, bytes.length.toLocaleString('en')])), 'None: your service has accepted every save.', 'saves that your service refused')}
${section('Requests to your service', latest.sent.length, table(['Time', 'Request', 'Callback', 'Answer'], latest.sent.map(sentRow)), 'None yet.', 'latest first')}
${section('Requests to this server', latest.received.length, table(['Time', 'Request', 'Answer'], latest.received.map(receivedRow)), 'None yet.', 'latest first')}
<footer>Times are UTC. What is new appears every ${REFRESH_SECONDS} seconds.</footer>
</main>
</body>
</html>
`.text
}

function settingsSection ({ editorApiUrl, tokenHeader, libreOffice, remoteControl, build }: Settings): Html {
  return html`<section>
<h2>For your service</h2>
<dl>
<dt>URL of api.js</dt><dd class="url">${code(editorApiUrl)}</dd>
<dt>JWT secret</dt><dd>the one this server was started with</dd>
<dt>Token header</dt><dd>${code(tokenHeader)}</dd>
<dt>Emulates</dt><dd>DocService ${build.version}${build.version.startsWith(`${build.behavesAs}.`) ? '' : `, as ${build.behavesAs}`}</dd>
<dt>Conversion</dt><dd>${libreOffice ? 'with LibreOffice' : 'to PDF, text and images, and of .xlsx to .csv; install LibreOffice for other formats'}</dd>
<dt>Remote control</dt><dd>${remoteControl ? html`at ${code('/emulator/')}` : 'off'}</dd>
</dl>
</section>`
}

function section (title: string, count: number, content: Html, nothing: string, note = ''): Html {
  return html`<section>
<h2>${title}${note === '' ? '' : html` <small>${note}</small>`}</h2>
${count === 0 ? html`<p class="nothing">${nothing}</p>` : content}
</section>`
}

type Cell = string | Html

function table (titles: readonly string[], rows: ReadonlyArray<readonly Cell[]>): Html {
  return html`<div class="table"><table>
<thead><tr>${titles.map(title => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(cells => html`
<tr>${cells.map((cell, index) => html`<td${titles[index] === 'Time' ? html` class="short"` : ''}>${cell}</td>`)}</tr>`)}
</tbody>
</table></div>`
}

function isOpen ({ participants, changes, save }: OpenDocument): boolean {
  return participants.size > 0 || changes.length > 0 || save !== null
}

function documentRow (document: OpenDocument): Cell[] {
  const { key, fileType, changes, save } = document
  const users = usersOf(document).map(({ name, viewOnly }) => viewOnly ? `${name} (view only)` : name).join(', ')
  const unsaved = changes.length === 1 ? '1 change' : `${changes.length} changes`
  return [
    code(key),
    fileType,
    users || 'nobody',
    save === null ? unsaved : save.isWaiting ? `${unsaved}, waiting for a lost connection` : `${unsaved}, saving`
  ]
}

function sentRow ({ at, method, url, status, callback, key, answer, reason }: LoggedRequest): Cell[] {
  const result = reason === undefined
    ? html`<span class="good">${status ?? ''}</span>`
    : html`<span class="bad">${status ?? ''}</span>`
  return [
    timeOf(at),
    html`${method} ${code(url)}`,
    callback === undefined ? '' : html`${callback} ${MEANINGS[callback]}<br>${code(key ?? '')}`,
    html`${result}${answer === undefined ? '' : html` ${code(answer)}`}${reason === undefined ? '' : html`<br>${reason}`}`
  ]
}

function receivedRow ({ at, method, url, status, reason }: LoggedRequest): Cell[] {
  const isGood = status !== null && status < 400 && reason === undefined
  return [
    timeOf(at),
    html`${method} ${code(url)}`,
    html`<span class="${isGood ? 'good' : 'bad'}">${status ?? ''}</span> ${reason}`
  ]
}

function timeOf (at: Date): string {
  return at.toISOString().slice(11, 19)
}

function code (text: string): Html {
  return html`<code>${text}</code>`
}
