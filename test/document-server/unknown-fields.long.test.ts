import fc from 'fast-check'
import t from 'tap'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

// Whatever a later document server adds to its answers, what is understood today still is. SEED and RUNS choose and
// number what is tried.

const QUICK = { interval: 5 }
const PDF = '%PDF-1.4 made by the document server'

/** No field of today. Values of any kind. */
const name = fc.oneof(
  fc.constantFrom('operation', 'purpose', 'constructor', 'toString', 'warning', 'data'),
  fc.string({ minLength: 1, maxLength: 10, unit: fc.constantFrom(...'abcXYZ_019') }).map(text => `x${text}`)
)
const fields = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
const elements = fc.array(fc.tuple(fc.stringMatching(/^X[a-z]{0,8}$/), fc.stringMatching(/^[a-z0-9 ]{0,8}$/)), {
  maxLength: 3
})
const headers = fc.dictionary(
  fc.constantFrom('x-docs-operation', 'x-content-purpose', 'link', 'vary', 'server-timing'),
  fc.constantFrom('1', 'converter', 'a, b'),
  { maxKeys: 3 }
)
interface Added {
  readonly fields: Record<string, unknown>
  readonly elements: ReadonlyArray<readonly [string, string]>
  readonly headers: Record<string, string>
  readonly asXml: boolean
}

const input: fc.Arbitrary<Added> = fc.record({ fields, elements, headers, asXml: fc.boolean() })

t.setTimeout(300_000 + Number(process.env.RUNS ?? 0) * 50)

t.test('answers with unknown fields, elements and headers are understood as those without', async t => {
  let added: Added = { fields: {}, elements: [], headers: {}, asXml: false }
  const server = await startUpstream(t, async (request, response) => {
    const body = (await request.toArray()).join('')
    const path = request.url!.split('?')[0]!
    const { c, key } = (body === '' ? {} : JSON.parse(body)) as { readonly c?: string, readonly key?: string }
    const url = `${server.origin}/cache/files/data/conv_1/output.pdf/output.pdf`
    const xml = added.elements.map(([name, text]) => `<${name}>${text}</${name}>`)
    const json: Record<string, unknown> = {
      version: { error: 0, version: '9.3.0.140' },
      info: { key, error: 0, users: ['ada'] },
      license: { error: 0, license: {}, server: {}, quota: {} },
      getForgottenList: { error: 0, keys: ['k1', 'k2'] },
      drop: { key, error: 0 },
      '/ConvertService.ashx': { fileUrl: url, fileType: 'pdf', percent: 100, endConvert: true },
      '/docbuilder': { key: 'bld_1', end: true, urls: { 'a.pdf': url } }
    }
    response.writeHead(200, { ...added.headers, 'content-type': 'application/json' })
    if (path.startsWith('/cache/files/')) return response.end(PDF)
    if (path === '/healthcheck') return response.end('true')
    if (path === '/meta/formats') return response.end(JSON.stringify([{ ...added.fields, name: 'docx', type: 'word', actions: ['edit', 'x-later'], convert: ['pdf'], mime: ['application/x'] }, { ...added.fields, name: 'later', type: 'x-later', actions: [], convert: [], mime: [] }]))
    if (path === '/ConvertService.ashx' && added.asXml) return response.end(`<?xml version="1.0"?><FileResult>${xml.join('')}<FileUrl>${url}</FileUrl><FileType>pdf</FileType>${xml.join('')}<Percent>100</Percent><EndConvert>True</EndConvert></FileResult>`)
    response.end(JSON.stringify({ ...added.fields, ...json[c ?? path] as object }))
  })

  async function outcomes (): Promise<unknown> {
    const { app } = await startHost(t, { documentServerOrigin: server.origin })
    const { editorServer } = app
    const converted = await editorServer.convert({ url: 'http://app.example/a.docx', fileType: 'docx', outputType: 'pdf' }, QUICK)
    const { files } = await editorServer.build({ url: 'http://app.example/a.docbuilder' }, QUICK)
    const { users } = await editorServer.command({ c: 'info', key: 'k1' }, { foreignKey: true })
    const [first] = await editorServer.formats()
    await editorServer.command({ c: 'drop', key: 'k1' }, { foreignKey: true })
    await editorServer.license()
    const { keys } = await editorServer.command({ c: 'getForgottenList' })
    const outcome = {
      version: await editorServer.version(),
      health: await editorServer.healthcheck(),
      users,
      keys,
      converted: [converted.fileType, String(await converted.bytes())],
      built: [files[0]!.name, String(await (await files[0]!.fetch()).bytes())],
      format: [first!.fileType, first!.documentType, first!.convertsTo]
    }
    await app.close()
    return outcome
  }

  const expected = await outcomes()
  await fc.assert(fc.asyncProperty(input, async given => {
    added = given
    const actual = await outcomes()
    if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
  }), { seed: Number(process.env.SEED ?? 1), numRuns: Number(process.env.RUNS ?? 40) })
  t.pass()
})
