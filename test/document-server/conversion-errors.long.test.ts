import t, { type Test } from 'tap'
import { ConversionFailedError } from '../../lib/errors.js'
import type { ConversionRequest } from '../../lib/index.js'
import { memoryLog } from '../kit/log.js'
import { type ServiceOptions, startService } from '../kit/sessions.js'

type RequestByUrl = Extract<ConversionRequest, { readonly url: string }>

const QUICK = { interval: 10 }

async function startConverting (t: Test, options: ServiceOptions = {}) {
  const service = await startService(t, options)
  const { app: { editorServer }, documentServer, urls, fileId } = service
  return {
    ...service,
    /** Converts the stored text, unless the request says otherwise. */
    async failure (request: Partial<RequestByUrl> = {}) {
      const before = documentServer.receivedRequests.length
      const error = await editorServer.convert({ url: urls.download(fileId), fileType: 'txt', outputType: 'pdf', ...request }, QUICK).then(
        () => { throw new Error('it converted') },
        (error: ConversionFailedError) => error
      )
      const answers = documentServer.receivedRequests.slice(before).map(({ answer }) => answer as { readonly error?: number })
      return { error, errors: answers.filter(({ error }) => error !== undefined).length }
    }
  }
}

t.test('after an error the next call converts anew, except after -3, which stays with the content and the options', async t => {
  const { documentServer, failure, app: { editorServer }, urls, fileId } = await startConverting(t)
  const request = { url: urls.download(fileId), fileType: 'txt', outputType: 'pdf' } as const
  const converts = async (options: Partial<RequestByUrl>) => (await editorServer.convert({ ...request, ...options }, QUICK)).bytes()
  for (const code of [-2, -4, -10]) {
    documentServer.fault('conversion', { type: 'error', error: code })
    await failure({ key: `content of ${code}` })
    t.match(await converts({ key: `content of ${code}` }), /^%PDF-/)
  }
  documentServer.fault('conversion', { type: 'error', error: -3 })
  for (let call = 0; call < 2; call++) t.match((await failure({ key: 'content' })).error, { serverCode: -3, retryable: false })
  t.match(await converts({ key: 'content', region: 'fr-FR' }), /^%PDF-/, 'other options are another conversion')
  t.match(await converts({ key: 'content 2' }), /^%PDF-/, 'and so is another content')
})

t.test('a password is in no log, no error and not legible in the key', async t => {
  const log = memoryLog()
  const { documentServer, failure } = await startConverting(t, { server: log.server })
  const keys = new Set<string>()
  for (const error of [-5, -1]) {
    for (const password of ['correct horse', 'battery staple']) {
      documentServer.fault('conversion', { type: 'error', error })
      const { error: rejected } = await failure({ password })
      t.match(rejected, { serverCode: error })
      for (const text of [String(rejected.stack), JSON.stringify(rejected), log.text()]) t.notOk(text.includes(password))
      const { key, password: sent } = documentServer.receivedRequests.at(-1)!.body as { readonly key: string, readonly password: string }
      t.equal(sent, password)
      t.notOk(key.includes(password) || key.includes(Buffer.from(password).toString('base64url')))
      keys.add(key)
    }
  }
  t.equal(keys.size, 2, 'but it is part of the key')
})

t.test('results that arrive damaged, late, or are something else', async t => {
  const { documentServer, app: { editorServer }, urls, fileId } = await startConverting(t, { timeouts: { headers: 150, idle: 150 } })
  const request = { url: urls.download(fileId), fileType: 'txt', outputType: 'pdf' } as const
  const table = [
    [{ type: 'html' }, 'FST_EDITOR_CONVERSION_FAILED', /not pdf but an HTML page/],
    [{ type: 'answer', status: 200, body: '' }, 'FST_EDITOR_CONVERSION_FAILED', /the result is empty/],
    [{ type: 'answer', status: 200, body: 'PK\x03\x04' }, 'FST_EDITOR_CONVERSION_FAILED', /the result is not pdf/],
    [{ type: 'html', status: 404 }, 'FST_EDITOR_UPSTREAM', /answered status 404/],
    [{ type: 'answer', status: 410, body: 'expired' }, 'FST_EDITOR_UPSTREAM', /answered status 410/],
    [{ type: 'stall' }, 'FST_EDITOR_UPSTREAM_TIMEOUT', /./],
    [{ type: 'stall', afterBytes: 10 }, 'FST_EDITOR_UPSTREAM_TIMEOUT', /./],
    [{ type: 'reset', afterBytes: 10 }, 'FST_EDITOR_UPSTREAM', /./],
    [{ type: 'length', by: 1 }, 'FST_EDITOR_UPSTREAM', /./]
  ] as const
  for (const [fault, code, message] of table) {
    documentServer.fault('file', fault)
    await t.rejects(editorServer.convert(request, QUICK).then(async result => await result.bytes()), { code, message }, JSON.stringify(fault))
    t.match((await (await editorServer.convert(request, QUICK)).bytes()).toString('latin1'), /^%PDF-.*%%EOF/s, 'the next call gets it')
  }
})

t.test('an answer that is made to confuse rejects with a typed error and a short message', async t => {
  const { documentServer, failure } = await startConverting(t)
  const long = 'a'.repeat(500_000)
  for (const [answer, code] of [
    ['{"error":{"toString":1}}', 'FST_EDITOR_CONVERSION_FAILED'],
    [`{"error":${'['.repeat(4000)}${']'.repeat(4000)}}`, 'FST_EDITOR_CONVERSION_FAILED'],
    [`{"error":"${long}"}`, 'FST_EDITOR_CONVERSION_FAILED'],
    [`{"error":"-${'9'.repeat(400)}"}`, 'FST_EDITOR_CONVERSION_FAILED'],
    ['{"error":"\\u001b[31m\\n"}', 'FST_EDITOR_CONVERSION_FAILED'],
    [`{"endConvert":true,"fileUrl":"${documentServer.url}/a.pdf","fileType":"${long}"}`, 'FST_EDITOR_UPSTREAM'],
    [`{"endConvert":true,"fileUrl":"http://${long}/a.pdf","fileType":"pdf"}`, 'FST_EDITOR_CONVERSION_FAILED'],
    [`<FileResult><Error>${'&amp;'.repeat(100_000)}</Error></FileResult>`, 'FST_EDITOR_CONVERSION_FAILED'],
    [`<FileResult>${'<EndConvert>True</EndConvert><FileUrl>'.repeat(20_000)}</FileResult>`, 'FST_EDITOR_CONVERSION_FAILED']
  ] as const) {
    const remove = documentServer.fault('converter', { type: 'answer', status: 200, body: answer }, { times: Infinity })
    const { error } = await failure()
    remove()
    t.match(error, { code }, answer.slice(0, 50))
    t.match(error.message, /^[ -~]{1,200}$/)
    t.equal(error.serverCode, undefined)
  }
})
