import type { RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { EditorHttpClient } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { PDF, ready, startConversionService } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'

type Answer = (response: ServerResponse, origin: string) => unknown

/** Gives a function that converts, with these answers, and tells the error and what was asked until then. */
async function startFailing (t: Test) {
  let answer: Answer
  let result: RequestListener
  const service = await startConversionService(t, (response, _attempt, origin) => answer(response, origin), (request, response) => result(request, response))
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')

  return async function failure (answers: Answer, results: RequestListener = (_request, response) => response.end()) {
    answer = answers
    result = results
    const error = await control.convertToPdf({ delayMs: 0, maxAttempts: 5 }).then(() => {
      throw new Error('it converted')
    }, (error: Error & { code: string, statusCode: number }) => error)
    return { error, requests: service.conversions.splice(0).length, downloads: service.downloads.splice(0).length }
  }
}

t.test('an error answer, in JSON or XML, rejects with its error code and ends the polling', async t => {
  const failure = await startFailing(t)
  const values: Array<[value: string, meaning: string]> = [
    ['-1', 'unknown error'], ['-2', 'timeout'], ['-3', 'conversion error'], ['-4', 'could not download the source'], ['-5', 'wrong or missing password'],
    ['-6', 'database'], ['-7', 'wrong input'], ['-8', 'invalid or expired token'], ['-9', 'output type'], ['-10', 'size limit'], ['-99', ''], ['7', '']
  ]
  for (const [value, meaning] of values) {
    for (const text of [
      `{"error":${value}}`, `{"error":"${value}"}`, `\ufeff{"error":${value},"endConvert":true,"fileUrl":"http://127.0.0.1:9/x"}`,
      `<?xml version="1.0" encoding="utf-8"?><FileResult><Error>${value}</Error></FileResult>`, `<FileResult>\n  <Error> ${value} </Error>\n</FileResult>`
    ]) {
      const { error, requests, downloads } = await failure(response => response.end(text))
      t.equal(error.code, 'FST_EDITOR_CONVERSION_FAILED', text)
      t.equal(error.statusCode, 502)
      t.match(error.message, `error ${value}${meaning && ' ('}`, text)
      t.ok(error.message.includes(meaning), meaning)
      t.strictSame({ requests, downloads }, { requests: 1, downloads: 0 })
    }
  }
})

t.test('every invalid answer rejects with a typed error, after one request unless a gateway may have answered', async t => {
  const failure = await startFailing(t)
  const table: Array<[what: string, code: string, message: RegExp, answer: Answer]> = [
    [
      'endConvert without fileUrl',
      'CONVERSION_FAILED',
      /finished without a file/,
      response => response.end('{"endConvert":true,"percent":100}')
    ],
    [
      'endConvert with an empty fileUrl',
      'CONVERSION_FAILED',
      /finished without a file/,
      response => response.end('{"endConvert":true,"fileUrl":""}')
    ],
    [
      'endConvert without FileUrl in XML',
      'CONVERSION_FAILED',
      /finished without a file/,
      response => response.end('<FileResult><FileUrl/><EndConvert>True</EndConvert></FileResult>')
    ],
    [
      'fileUrl that is no URL',
      'CONVERSION_FAILED',
      /the URL of its result is invalid/,
      response => response.end('{"endConvert":true,"fileUrl":"result.pdf"}')
    ],
    [
      'fileUrl with another scheme',
      'CONVERSION_FAILED',
      /the URL of its result is invalid/,
      response => response.end('{"endConvert":true,"fileUrl":"file:///etc/passwd"}')
    ],
    ['HTTP 500', 'UPSTREAM', /answered status 500/, response => response.writeHead(500).end('{"endConvert":false}')],
    ['HTTP 404', 'UPSTREAM', /answered status 404/, response => response.writeHead(404).end('<html>')],
    ['a redirect', 'UPSTREAM', /answered status 302/, response => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['HTML', 'CONVERSION_FAILED', /neither JSON nor XML/, response => response.end('<!DOCTYPE html><html><body>Log in</body></html>')],
    ['empty', 'CONVERSION_FAILED', /neither JSON nor XML/, response => response.end()],
    ['text', 'CONVERSION_FAILED', /neither JSON nor XML/, response => response.end('false')],
    ['null', 'CONVERSION_FAILED', /neither JSON nor XML/, response => response.end('null')],
    ['a list', 'CONVERSION_FAILED', /neither JSON nor XML/, response => response.end('[{"endConvert":true}]')],
    ['cut JSON', 'CONVERSION_FAILED', /neither JSON nor XML/, response => response.end('{"endConvert":tr')],
    [
      'cut connection',
      'UPSTREAM',
      /failed/,
      response =>
        response.writeHead(200, { 'content-length': 100 }).write('{"endConvert":true}', () => response.destroy())
    ],
    ['closed connection', 'UPSTREAM', /failed/, response => response.destroy()],
    ['endless', 'TOO_LARGE', /limit of 1048576 bytes/, response => {
      const send = (): unknown => {
        while (!response.destroyed) if (!response.write(Buffer.alloc(65536, ' '))) return response.once('drain', send)
      }
      send()
    }]
  ]
  const ofGateways = ['HTML', 'cut connection', 'closed connection']
  for (const [what, code, message, answer] of table) {
    const { error, requests, downloads } = await failure(answer)
    t.equal(error.code, `FST_EDITOR_${code}`, what)
    t.match(error.message, message, what)
    t.strictSame({ requests, downloads }, { requests: ofGateways.includes(what) ? 3 : 1, downloads: 0 }, what)
  }
})

t.test('a URL with two hosts tells of the header that two proxies set', async t => {
  const failure = await startFailing(t)
  for (const base of ['https://a, a', 'https://a,a', 'https://user:x@a, a']) {
    const { error } = await failure(response => response.end(JSON.stringify({ endConvert: true, fileUrl: `${base}/cache/files/x/y/output.pdf/output.pdf` })))
    t.match(error, { code: 'FST_EDITOR_CONVERSION_FAILED', cause: { cause: { message: 'two proxies in front of the document server set X-Forwarded-Host' } } }, base)
  }
})

/** What may stand between the service and the document server for a moment. */
const GATEWAY: Record<string, RequestListener> = {
  ...Object.fromEntries([429, 502, 503, 504].map(status => [`status ${status}`, (_request, response) => response.writeHead(status).end('<h1>nginx</h1>')] as const)),
  'an HTML page': (_request, response) => response.end('<!DOCTYPE html>\n<html><body>Back soon</body></html>'),
  'a lost connection': (_request, response) => response.destroy(),
  'half an answer': (_request, response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy())
}

t.test('a conversion and a question go on after a gateway has answered twice', async t => {
  for (const [what, answer] of Object.entries(GATEWAY)) {
    let left = 0
    const counted: RequestListener = (request, response) => {
      if (left-- > 0) answer(request, response)
      else if (request.method === 'POST') response.end('{"error":0,"users":["ada"]}')
      else response.end(PDF)
    }
    const service = await startConversionService(t, (response, _attempt, origin) => {
      if (left-- > 0) answer(undefined as never, response)
      else ready(response, 1, origin)
    }, counted)
    const { app, keys } = await startHost(t, { documentServerOrigin: service.origin })
    const key = keys.of({ fileId: 'some', revision: 'some' })
    left = 2
    const request = { url: 'http://127.0.0.1:9/a.docx', fileType: 'docx', outputType: 'pdf' }
    t.ok((await (await app.editorServer.convert(request, { interval: 1 })).bytes()).equals(PDF), what)
    left = 2
    t.strictSame(await app.editorServer.command({ c: 'info', key }), { users: ['ada'] }, what)
    left = 1
    t.match(await app.editorServer.command({ c: 'deleteForgotten', key }).catch(error => error), { code: 'FST_EDITOR_UPSTREAM' }, what)
  }
})

t.test('a request that would be repeated ends with the application', { timeout: 60_000 }, async t => {
  const discarded = deferred()
  let count = 0
  const httpClient: EditorHttpClient = {
    async request () {
      count++
      const body = new Readable({ read () {} })
      body.once('close', () => discarded.resolve())
      return { status: 502, header: () => undefined, body }
    }
  }
  const { app, keys } = await startHost(t, { httpClient, saveRetries: 10 })
  const command = app.editorServer.command({ c: 'info', key: keys.of({ fileId: 'some', revision: 'some' }) })
  const outcome = command.catch(error => error)
  await discarded.promise
  await setImmediate() // waits to ask again
  await app.close()
  t.match(await outcome, { message: 'The application is closing' })
  t.equal(count, 1)
})

t.test('a result that is not a PDF, or is truncated, is an error', async t => {
  const failure = await startFailing(t)
  const table: Array<[what: string, code: string, result: RequestListener]> = [
    ['HTML', 'CONVERSION_FAILED', (_request, response) => response.end('<html>session expired</html>')],
    ['empty', 'CONVERSION_FAILED', (_request, response) => response.end()],
    ['the signature later on', 'CONVERSION_FAILED', (_request, response) => response.end(`${' '.repeat(1024)}%PDF-1.7`)],
    ['part of the signature', 'CONVERSION_FAILED', (_request, response) => response.end('%PDF')],
    ['403', 'UPSTREAM', (_request, response) => response.writeHead(403).end('%PDF-1.7')],
    ['206', 'UPSTREAM', (_request, response) => response.writeHead(206).end('%PDF-1.7')],
    ['cut', 'UPSTREAM', (_request, response) => response.writeHead(200, { 'content-length': 100 }).write('%PDF-1.7', () => response.destroy())]
  ]
  for (const [what, code, result] of table) {
    const { error, requests, downloads } = await failure((response, origin) => ready(response, 1, origin), result)
    t.equal(error.code, `FST_EDITOR_${code}`, what)
    t.strictSame({ requests, downloads }, { requests: 1, downloads: 1 }, what)
  }
})

t.test('an abandoned answer or result is not read on and its connection is closed', async t => {
  const failure = await startFailing(t)
  for (const refused of ['answer', 'result']) {
    const closed = deferred()
    const endless = (response: ServerResponse): void => {
      response.once('close', () => closed.resolve())
      response.writeHead(500).write('x')
    }
    const { error } = await failure(
      (response, origin) => refused === 'answer' ? endless(response) : ready(response, 1, origin),
      (_request, response) => endless(response)
    )
    t.equal(error.code, 'FST_EDITOR_UPSTREAM')
    await closed.promise
  }
})

t.test('a result shorter than its Content-Length is an error, even if the HTTP client does not notice', async t => {
  const httpClient: EditorHttpClient = {
    request: async ({ method, url }) => method === 'POST'
      ? { status: 200, header: () => undefined, body: Readable.from([`{"endConvert":true,"fileUrl":"${url.origin}/x"}`], { objectMode: false }) }
      : { status: 200, header: name => name === 'content-length' ? '100' : undefined, body: Readable.from(['%PDF-1.7'], { objectMode: false }) }
  }
  const host = await startHost(t, { httpClient })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  await t.rejects(control.convertToPdf(), { code: 'FST_EDITOR_UPSTREAM', message: /8 of 100 bytes/ })
})

t.test('an XML answer with a result is accepted', async t => {
  const service = await startConversionService(t, (response, _attempt, origin) => {
    response.writeHead(200, { 'content-type': 'text/xml; charset=UTF-8' })
      .end(
        `<?xml version="1.0" encoding="utf-8"?><FileResult><FileUrl>${origin}/result.pdf?md5=a&amp;expires=1&amp;x=&lt;&gt;&quot;&apos;</FileUrl><FileType>pdf</FileType><Percent>100</Percent><EndConvert>True</EndConvert></FileResult>`
      )
  })
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  t.match((await control.convertToPdf()).toString(), '%PDF-')
  t.equal(new URL(service.downloads[0]!, service.origin).searchParams.get('x'), '<>"\'')
})
