import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { ReceivedRequest, SentRequest } from '../../types/document-server.js'
import { toUrl } from '../url.js'
import { isAccepted } from './outbound/callbacks.js'
import { usersOf } from './sessions/participants.js'
import type { Parts } from './parts.js'

const SHOWN_REQUESTS = 50
const SHOWN_CHARACTERS = 120

const STYLE = `
body { max-width: 68rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; font: 15px/1.5 system-ui, sans-serif; }
h2 { margin: 2rem 0 .25rem; font-size: 1.1rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .375rem 1rem .375rem 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
th { font-weight: normal; opacity: .7; }
td { overflow-wrap: anywhere; }
`
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/**
 * The status page at `/`: documents and requests, without secrets, tokens and query strings.
 *
 * @param settings lines on the document server itself
 */
export function statusRoute (
  app: FastifyInstance,
  parts: Parts,
  settings: () => Readonly<Record<string, string>>,
  received: readonly ReceivedRequest[]
): void {
  app.get('/', async (request, reply) => {
    reply.type('text/html; charset=utf-8').headers({
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff'
    })
    return await reply.send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>onlyoffice-emulator</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>onlyoffice-emulator</h1>
<p>An emulated document server for tests and development. It is not ONLYOFFICE Docs: do not use it for documents that matter.</p>
${table('For your service', ['Setting', 'Value'], Object.entries(settings()))}
${table('Open documents', ['Document key', 'Format', 'Users', 'Unsaved changes'], openDocuments(parts))}
${table('Forgotten files: saves that your service refused', ['Document key', 'Format', 'Bytes'], forgottenFiles(parts))}
${table('Latest requests to your service', ['Request', 'Callback', 'Answer', 'Problem'], latest(parts.client.requests).map(sentRow))}
${table('Latest requests to this server', ['Request', 'Answer', 'Problem'], latest(received).map(receivedRow))}
</main>
</body>
</html>
`)
  })
}

function table (title: string, heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  if (rows.length === 0) return `<h2>${title}</h2>\n<p>None.</p>`
  const cells = (row: readonly string[]) => row.map(cell => `<td>${escaped(cell)}</td>`).join('')
  return `<h2>${title}</h2>
<table>
<tr>${heads.map(head => `<th scope="col">${head}</th>`).join('')}</tr>
${rows.map(row => `<tr>${cells(row)}</tr>\n`).join('')}</table>`
}

function openDocuments ({ documents }: Parts): string[][] {
  return documents.all().filter(({ participants, changes, save }) =>
    participants.size > 0 || changes.length > 0 || save !== null
  ).map(document => {
    const users = usersOf(document).map(({ name, viewOnly }) => viewOnly ? `${name} (view only)` : name).join(', ')
    return [document.key, document.fileType, users || 'nobody', String(document.changes.length)]
  })
}

function forgottenFiles ({ forgotten }: Parts): string[][] {
  return [...forgotten].map(([key, { fileType, bytes }]) => [key, fileType, String(bytes.length)])
}

function latest<Request> (requests: readonly Request[]): Request[] {
  return requests.slice(-SHOWN_REQUESTS).reverse()
}

function sentRow (request: SentRequest): string[] {
  const { method, url, body, answer } = request
  return [
    `${method} ${withoutSecrets(url)}`,
    body === null ? '' : limited(`${String(body.status)} ${String(body.key)}`),
    answer === null ? '' : `${answer.status}${body === null ? '' : ` ${short(answer.body)}`}`,
    reasonOf(request)
  ]
}

/** Why the answer of the application was not accepted; empty if it was. */
function reasonOf ({ method, answer, error }: SentRequest): string {
  if (answer === null) return short(`No answer: ${error?.message ?? 'not yet'}`)
  if (method === 'GET') return answer.status === 200 || answer.status === 206 ? '' : 'The status must be 200 or 206.'
  return isAccepted(answer.status, answer.body) ? '' : 'Not accepted: it must be HTTP 200 with the JSON {"error":0}.'
}

/** The services answer errors with HTTP status 200. */
function receivedRow ({ method, url, status, answer }: ReceivedRequest): string[] {
  const error = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : 0
  return [`${method} ${withoutSecrets(url)}`, String(status ?? ''), error ? limited(`Error ${String(error)}`) : '']
}

/** The origin and path of a URL, or a path, without credentials and query. */
function withoutSecrets (given: string): string {
  const url = toUrl(given)
  return short(url === undefined ? given.split(/[?#]/, 1)[0] : `${url.protocol}//${url.host}${url.pathname}`)
}

/** Removes tokens and queries, wherever they are. */
function short (value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? ''
  return limited(text.slice(0, 4096).replace(/[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, '…').replace(/\?[^\s"'<>]*/g, ''))
}

function limited (text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

export function escaped (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
