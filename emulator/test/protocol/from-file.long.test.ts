import t, { type Test } from 'tap'
import type { DocumentServerOptions } from '../../lib/index.js'
import { sign, startDocumentServer } from '../support.js'

const TEXT = Buffer.from('What was uploaded')
const SCRIPT =
  'builder.CreateFile("docx"); builder.SaveFile("docx", "hello.docx"); builder.CloseFile();'

type Parts = Readonly<Record<string, string | { readonly name: string, readonly bytes: Buffer }>>

async function start (t: Test, options: Partial<DocumentServerOptions> = {}) {
  const server = await startDocumentServer(t, { version: '10.0', purposeCheck: 'strict', ...options })
  return async (path: string, parts: Parts, headers: Record<string, string> = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(parts)) {
      if (typeof value === 'string') form.append(name, value)
      else form.append(name, new Blob([new Uint8Array(value.bytes)]), value.name)
    }
    return await fetch(`${server.url}${path}`, { method: 'POST', headers, body: form })
  }
}

const file = { name: 'Notes ä.txt', bytes: TEXT }
const signed = (params: object, operation = 'converter') => ({ params: JSON.stringify(params), token: sign({ ...params, operation }) })

t.test('a synchronous request answers with the converted file itself, named as title or upload', async t => {
  const post = await start(t)
  for (const [params, name] of [
    [{ outputtype: 'pdf', key: 'k1' }, 'Notes ä.pdf'],
    [{ outputtype: 'pdf', key: 'k2', title: 'Report.docx', filetype: 'txt' }, 'Report.pdf']
  ] as const) {
    const response = await post('/converter/from-file', { ...signed(params), file })
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'application/pdf')
    t.equal(response.headers.get('content-disposition'), `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
    t.equal((await response.text()).slice(0, 5), '%PDF-')
  }
})

t.test('an asynchronous request is asked about again without the file, until the answer is the file', async t => {
  const post = await start(t)
  const params = { async: true, key: 'k1', filetype: 'txt', outputtype: 'pdf' }
  let response = await post('/converter/from-file?shardkey=k1', { ...signed(params), file })
  t.strictSame(await response.clone().json(), { percent: 0, endConvert: false })
  while (response.headers.get('content-type')!.startsWith('application/json')) {
    t.strictSame(await response.json(), { percent: 0, endConvert: false })
    response = await post('/converter/from-file?shardkey=k1', signed(params))
  }
  t.equal((await response.text()).slice(0, 5), '%PDF-')
})

t.test('the token may be a part, a field of params or in the header, and must always name its purpose', async t => {
  const params = { outputtype: 'pdf', filetype: 'txt' }
  for (const purposeCheck of ['strict', 'validate', 'off'] as const) {
    const post = await start(t, { purposeCheck })
    let keys = 0
    for (const [operation, error] of [['converter', undefined], ['docbuilder', -8], [undefined, -8]] as const) {
      const claims = () => ({ ...params, key: `k${keys++}`, ...(operation && { operation }) })
      const requests: ReadonlyArray<readonly [string, Parts, Record<string, string>?]> = [
        ['a part', { token: sign(claims()), file }],
        ['a field of params', { params: JSON.stringify({ token: sign(claims()) }), file }],
        ['in the header', { file }, { authorization: `Bearer ${sign(operation ? { payload: { ...params, key: `k${keys++}` }, operation } : { payload: params })}` }]
      ]
      for (const [where, parts, headers] of requests) {
        const response = await post('/converter/from-file', parts, headers)
        const answer = await response.text()
        t.equal(
          error === undefined ? answer.slice(0, 5) : answer,
          error === undefined ? '%PDF-' : `{"error":${error}}`,
          `${purposeCheck} ${where} ${operation ?? 'none'}`
        )
      }
    }
  }
})

t.test('malformed requests', async t => {
  const post = await start(t)
  const params = { outputtype: 'pdf', key: 'k', filetype: 'txt' }
  for (const [what, parts] of Object.entries({
    'another part': { ...signed(params), file, comment: 'x' },
    'params that are no object': { params: '[]', token: sign({ ...params, operation: 'converter' }), file },
    'no JSON': { params: '{', token: sign({ ...params, operation: 'converter' }), file },
    'no file, and nothing under way': signed(params)
  } as Record<string, Parts>)) {
    const response = await post('/converter/from-file', parts)
    t.equal(response.status, 200, what)
    t.strictSame(await response.json(), { error: -7 }, what)
  }
  t.strictSame(await (await post('/converter/from-file', { ...signed({ ...params, outputtype: 'nonsense' }), file })).json(), { error: -7 })
})

t.test('two uploads without a key are two conversions', async t => {
  const post = await start(t)
  const textOf = async (text: string) =>
    await (await post('/converter/from-file', {
      ...signed({ outputtype: 'txt' }),
      file: { name: 'a.txt', bytes: Buffer.from(text) }
    })).text()
  t.match(await textOf('one'), 'one')
  t.match(await textOf('two'), 'two')
})

t.test('a build takes its script from the request', async t => {
  const post = await start(t)
  const params = { argument: { name: 'Ada' } }
  const response = await post('/docbuilder/from-file', { ...signed(params, 'docbuilder'), file: { name: 'hello.docbuilder', bytes: Buffer.from(SCRIPT) } })
  const { urls, end } = await response.json() as { urls: Record<string, string>, end: boolean }
  t.equal(end, true)
  t.match(await (await fetch(urls['hello.docx']!)).text(), 'PK')
  t.strictSame(await (await post('/docbuilder/from-file', { ...signed(params, 'converter'), file })).json(), {
    error: -8
  })
  t.strictSame(await (await post('/docbuilder/from-file', signed({ ...params, key: 'K' }, 'docbuilder'))).json(), {
    error: -3
  }, 'a key of our own, and no script')
})

t.test('older versions do not have the endpoints, and a service that is switched off answers 403', async t => {
  for (const [options, path, status] of [
    [{ version: '9.3' }, '/converter/from-file', 404],
    [{ version: '9.4' }, '/docbuilder/from-file', 404],
    [{ version: '10.0', services: { converter: false } }, '/converter/from-file', 403],
    [{ version: '10.0', services: { converter: false } }, '/converter', 403],
    [{ version: '10.0', services: { converter: false } }, '/ConvertService.ashx', 403],
    [{ version: '10.0', services: { converter: false } }, '/docbuilder/from-file', 200],
    [{ version: '10.0', services: { docbuilder: false } }, '/docbuilder/from-file', 403],
    [{ version: '10.0', services: { docbuilder: false } }, '/docbuilder', 403],
    [{ version: '10.0', services: { docbuilder: false } }, '/converter/from-file', 200]
  ] as ReadonlyArray<readonly [Partial<DocumentServerOptions>, string, number]>) {
    const server = await startDocumentServer(t, options)
    const form = new FormData()
    form.append('params', '{}')
    t.equal((await fetch(`${server.url}${path}`, { method: 'POST', body: form })).status, status, `${JSON.stringify(options)} ${path}`)
  }
})
