import http from 'node:http'
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { listen } from '../../../test/kit/http.js'
import { claimsOf, type Entry, requestEntry } from './log.js'
import {
  type Headers, type HostAnswer, isRequest, type Json, type JsonObject, RECORDED, type Recording, type RequestStep
} from './recording.js'
import { protectedFile } from '../protected.js'
import type { VirtualTime } from './virtual-time.js'

const file = (name: string) => readFileSync(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url))
const DOCUMENT = file('report.docx')

// What the recorder had beside documents: a protected one, text in the place of one, and other formats.
const CONTENTS: Readonly<Record<string, Buffer>> = {
  '64e811ccb2a94ce3aa439f2c021b5400737f7270d2cb9f2e7f629a0db0483321': protectedFile(DOCUMENT, 'secret'),
  '2737d22115a5bb1f77ed620cdc67d4020edc260993f2fa159c06806f7f0aebdf': Buffer.from('This is not a document at all'),
  dcc5b88bbc3cfcfaccc7cdbf1671669705929e8587e35f8290cc437f0be8709d: file('orders.xlsx'),
  b2682c1bf7a12b59b3be365ca84d7ed12b562d6917eba3fdd363d3e5d2a17761: Buffer.from('a\tb\n1\t2;3\n'),
  '10afa837170c4932c4f8681a53f89a099e59fedb19e7c277e0e4b8c17ab7e6d9': file('orders.csv'),
  bff9800c30f317e811bafa97024a41e4df4fd55d817f714d54b200439607ae7b: file('report.pdf')
}

const RESET: HostAnswer = { status: 0, headers: {}, body: null }

/**
 * A plain HTTP service in the place of the host: answers as it did when it was recorded, and reports what it was asked.
 */
export async function startHost (
  t: Test,
  recording: Recording,
  { now, hold }: VirtualTime,
  asked: (entry: Entry) => void
): Promise<{ readonly origin: string }> {
  const answers = recording.steps.filter(isRequest)

  const server = http.createServer((request, response) => {
    serve(request, response).catch(error => {
      response.destroy() // so that nobody waits for it
      t.fail('the host failed', { error: String(error) })
    })
  })
  const { origin } = await listen(t, server)

  async function serve (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const at = now()
    const text = (await request.setEncoding('utf8').toArray()).join('')
    asked(seen(at, request, text))
    const answer = answerTo(request, text)
    if (answer === undefined) {
      response.writeHead(404).end()
      return
    }
    const { took, status, headers, body, cutAfter } = answer === 'connection reset' ? RESET : answer
    if (took !== undefined) await hold(took)
    if (status === 0) {
      request.socket.resetAndDestroy()
      return
    }
    const content = bodyOf(body)
    if (cutAfter === undefined) response.writeHead(status, headersOf(headers)).end(content)
    else response.writeHead(status, { ...headersOf(headers), 'Content-Length': content.length }).write(content.subarray(0, cutAfter), () => response.destroy())
  }

  /** The first answer to such a request that was not given yet. */
  function answerTo ({ method, url }: http.IncomingMessage, text: string): RequestStep['answer'] | undefined {
    const status = text === '' ? undefined : (JSON.parse(text) as JsonObject).status
    const index = answers.findIndex(step => step.method === method && step.path === url && step.body?.status === status)
    return index === -1 ? undefined : answers.splice(index, 1)[0]!.answer
  }

  function headersOf (headers: Headers): Headers {
    const { 'Content-Length': length, ...others } = headers
    return Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value.replace(RECORDED.host, origin)]))
  }

  return { origin }
}

function bodyOf (body: Json): Buffer {
  if (typeof body === 'object' && body !== null && 'bytes' in body) return CONTENTS[String((body as JsonObject).sha256)] ?? DOCUMENT
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function seen (at: number, { method, url, headers }: http.IncomingMessage, text: string): Entry {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
  const body = text === '' ? undefined : JSON.parse(text) as JsonObject
  return requestEntry(at, {
    method: method!,
    path: url!,
    headers: { ...headers as Headers, authorization: headers.authorization?.replace(token, '<token>') ?? 'none', ...lengthOf(headers, text) },
    headerClaims: claimsOf(token),
    ...(body === undefined
      ? {}
      : { body: { ...body, token: '<token>', ...(JSON.stringify(body) === text ? {} : { text }) }, bodyClaims: claimsOf(String(body.token)) })
  })
}

/** The length of a request is its own: its ports have as many digits as they have. */
function lengthOf (headers: http.IncomingHttpHeaders, text: string): Headers {
  if (headers['content-length'] === undefined) return {}
  return { 'content-length': headers['content-length'] === String(Buffer.byteLength(text)) ? '<length of the body>' : headers['content-length'] }
}
