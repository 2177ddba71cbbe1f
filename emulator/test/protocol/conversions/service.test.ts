import t from 'tap'
import { sign, postSigned, startDocumentServer, startFakeHost } from '../../support.js'

const JSON_TYPE = 'application/json; charset=UTF-8'

t.test('a conversion answers JSON at /converter and XML at the older path, each the other when Accept prefers it', async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const request = { async: false, filetype: 'docx', key: 'C', outputtype: 'pdf', title: 'My title.docx', url: `${host.origin}/files/report.docx` }

  const json = await postSigned(`${url}/converter`, request)
  t.equal(json.headers.get('content-type'), JSON_TYPE)
  const answer = await json.json() as Record<string, unknown>
  t.strictSame(Object.keys(answer), ['fileUrl', 'fileType', 'percent', 'endConvert'])
  t.match(answer, { fileType: 'pdf', percent: 100, endConvert: true })
  const address = new URL(String(answer.fileUrl))
  t.equal(address.pathname, '/cache/files/data/conv_C_513/output.pdf/My%20title.pdf')
  t.match(address.search, /^\?md5=[\w-]{22}&expires=\d{10}&shardkey=C&filename=My%20title\.pdf$/)
  const file = await fetch(address)
  t.equal(file.headers.get('content-type'), 'application/pdf')
  t.match(await file.text(), /^%PDF-/)

  const xml = await postSigned(`${url}/ConvertService.ashx`, request)
  t.equal(xml.headers.get('content-type'), 'text/xml; charset=UTF-8')
  t.match(
    await xml.text(),
    /^<\?xml version="1\.0" encoding="utf-8"\?><FileResult><FileUrl>http:[^<&]+\?md5=[\w-]+&amp;expires=\d+&amp;shardkey=C&amp;filename=My%20title\.pdf<\/FileUrl><FileType>pdf<\/FileType><Percent>100<\/Percent><EndConvert>True<\/EndConvert><\/FileResult>$/
  )
  t.equal(
    (await postSigned(`${url}/ConvertService.ashx`, request, { accept: 'application/json' })).headers.get(
      'content-type'
    ),
    JSON_TYPE
  )
  const kindOf = async (path: string, accept: string) =>
    (await postSigned(`${url}${path}`, request, { accept })).headers.get('content-type')!.includes('json')
      ? 'JSON'
      : 'XML'
  for (
    const [accept, atConverter, atOlder] of [
      ['application/xml', 'XML', 'XML'],
      ['text/xml', 'JSON', 'XML'],
      ['text/html', 'JSON', 'XML'],
      ['*/*', 'JSON', 'XML'],
      ['application/*', 'JSON', 'XML'],
      ['application/json;q=0', 'JSON', 'XML'],
      ['text/html,application/xml;q=0.9,*/*;q=0.8', 'XML', 'XML'],
      ['application/json;q=0.5, application/xml', 'XML', 'XML'],
      ['application/json, application/xml', 'JSON', 'JSON'],
      ['application/xml, application/json', 'XML', 'XML'],
      ['Application/JSON', 'JSON', 'JSON']
    ] as const
  ) {
    t.strictSame([await kindOf('/converter', accept), await kindOf('/ConvertService.ashx', accept)], [
      atConverter,
      atOlder
    ], accept)
  }

  const other = await postSigned(`${url}/converter`, {
    ...request,
    url: `${host.origin}/files/notes.txt`,
    filetype: 'txt'
  }, { host: 'docs.example.com', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'docs.example.com' })
  t.match(await other.json(), { fileUrl: /^https:\/\/docs\.example\.com\/cache\/files\/data\/conv_C_513\// })
  t.equal(host.received.length, 1, 'the result is cached by key and output type alone')
  t.match(host.received[0], { method: 'GET', path: '/files/report.docx' })
})

t.test('an asynchronous conversion is pending first', async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const request = { async: true, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  t.equal(await (await postSigned(`${url}/ConvertService.ashx`, request)).text(),
    '<?xml version="1.0" encoding="utf-8"?><FileResult><FileUrl/><FileType/><Percent>0</Percent><EndConvert>False</EndConvert></FileResult>')
  const done = await (await postSigned(`${url}/converter`, { ...request, async: false })).json()
  t.match(done, { endConvert: true })
  t.strictSame(Object.keys(await (await postSigned(`${url}/converter`, request)).json() as object), Object.keys(done as object))
})

t.test('refusals have their codes and HTTP 200', async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const request = { async: false, filetype: 'txt', key: 'E', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  const post = async (body: object, headers = {}) => {
    const response = await fetch(`${url}/converter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
    t.equal(response.status, 200)
    return await response.json()
  }
  const expired = sign({ ...request, exp: Math.floor(Date.now() / 1000) - 120 })
  const header = { authorization: `Bearer ${sign({ payload: request })}` }

  t.strictSame(await post(request), { error: -8 }, 'no token')
  t.strictSame(await post({ ...request, token: expired }), { error: -8 }, 'expired')
  t.strictSame(await post({ ...request, token: 'not.a.token' }, header), { error: -8 }, 'a valid header token does not make up for an invalid body token')
  t.equal(await (await fetch(`${url}/ConvertService.ashx`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).text(),
    '<?xml version="1.0" encoding="utf-8"?><FileResult><Error>-8</Error></FileResult>')

  const signed = async (changes: object) => await post({ ...request, token: sign({ ...request, ...changes }) })
  t.strictSame(await signed({ filetype: '.txt' }), { error: -7 }, 'a dot in filetype')
  t.strictSame(await signed({ outputtype: 'zzz' }), { error: -7 }, 'unknown output type')
  t.strictSame(await signed({ key: 'a b/c' }), { error: -7 }, 'bad key')
  t.strictSame(await signed({ key: 'E1', url: undefined }), { error: -3 }, 'only signed fields count')
  t.strictSame(await signed({ key: 'E2', filetype: 'doc' }), { error: -3 }, 'unsupported')
  t.strictSame(await signed({ key: 'E2' }), { error: -3 }, '-3 stays with its key')
  t.match(await post(request, header), { endConvert: true }, 'the header token alone is enough')
})
