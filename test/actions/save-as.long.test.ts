import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import {
  type ActionOptions, type FastifyOnlyofficeOptions, memoryStorage, type SaveAsAction, type EditorStorage
} from '../../lib/index.js'
import { startUpstream } from '../kit/http.js'
import { bytesOf } from '../../lib/util/streams.js'
import { startPageHost } from '../kit/host.js'

const PDF = `%PDF-1.7 ${'content '.repeat(200)}`

/** A document server with result files. */
async function start (t: Test, saveAs: NonNullable<ActionOptions['saveAs']>, { actions, ...options }: Partial<FastifyOnlyofficeOptions> = {}) {
  const server = await startUpstream(t, ({ url = '' }, response) => {
    if (url.includes('cut')) return response.writeHead(200, { 'content-length': PDF.length * 2 }).write(PDF, () => response.destroy())
    if (url.includes('html')) return response.end('<!doctype html><p>Please log in')
    if (url.includes('missing')) return response.writeHead(404).end()
    if (url.includes('away')) return response.writeHead(302, { location: `${elsewhere.origin}/secret` }).end()
    response.end(PDF)
  })
  const elsewhere = await startUpstream(t, (_request, response) => response.end(PDF))
  const host = await startPageHost(t, {
    documentServerOrigin: server.origin,
    actions: { saveAs, ...actions },
    ...options
  })
  const save = async (fields: object = {}) =>
    await host.ask('saveAs', {
      url: `${server.origin}/cache/files/data/x/output.pdf?md5=abc&expires=1`,
      title: 'Report.docx',
      fileType: 'pdf',
      ...fields
    })
  return { server, elsewhere, host, save }
}

t.test('a copy is fetched from the document server, and stored or handed to the hook', async t => {
  const { host, save } = await start(t, true, { actions: { page: ({ fileId }) => `/edit/${fileId}` } })
  const { status, body } = await save({ fileType: 'PDF' })
  t.match({ status, body }, { status: 200, body: { title: 'Report.docx.pdf', fileId: String } })
  t.equal(body.url, `/edit/${body.fileId}`)
  t.equal(await host.storedText(body.fileId), PDF)
  t.equal((await host.storage.stat(body.fileId))?.fileType, 'pdf')

  const actions: SaveAsAction[] = []
  const results: unknown[] = [undefined, { title: 'Copy.pdf', url: '/copies/1' }, { fileId: 'copy' }]
  const hooked = await start(t, async action => {
    t.equal(String(await bytesOf(action.content)), PDF)
    actions.push(action)
    return results[actions.length - 1] as object | undefined
  })
  t.strictSame((await hooked.save({ title: 'Report.pdf' })).body, { title: 'Report.pdf' })
  t.strictSame((await hooked.save()).body, { title: 'Copy.pdf', url: '/copies/1' })
  t.strictSame((await hooked.save()).body, { title: 'Report.docx.pdf', fileId: 'copy' })
  t.match(actions[0], { fileId: hooked.host.fileId, user: { id: 'ada' }, title: 'Report.pdf', fileType: 'pdf', content: Readable })
})

t.test('nothing but result files of the document server is fetched, whatever the page names and other options allow', async t => {
  const created: string[] = []
  const memory = memoryStorage()
  const storage: EditorStorage = { ...memory, create: async (...args) => { created.push(args[0]); return await memory.create(...args) } }
  const other = await startUpstream(t, (_request, response) => response.end(PDF))
  const { server, elsewhere, save } = await start(t, true, {
    storage,
    proxy: { allow: 'any' },
    documentServer: { origins: 'any' },
    allowPrivateAddresses: true
  })
  created.length = 0
  const { host } = new URL(server.origin)
  const path = '/cache/files/data/x/output.pdf'
  const urls: Array<[url: string, status: number]> = [
    [`${other.origin}${path}`, 403],
    [`http://169.254.169.254${path}`, 403],
    [`http://localhost:${server.port}${path}`, 403],
    [`https://${host}${path}`, 403],
    [`http://127.0.0.1.evil.example.com:${server.port}${path}`, 403],
    [`http://${host}@${new URL(other.origin).host}${path}`, 403],
    [`${other.origin}\\@${host}${path}`, 403],
    [`${server.origin}/info/info.json`, 403],
    [`${server.origin}/cache/files/../../info/info.json`, 403],
    [`${server.origin}/cache/files/%2e%2e/%2e%2e/info`, 403],
    [`${server.origin}/cache/files/..%2f..%2finfo`, 403],
    [`${server.origin}/x?/cache/files/y`, 403],
    [`${server.origin}/#/cache/files/y`, 403],
    ['file:///etc/passwd', 400],
    ['data:application/pdf,%25PDF-', 400],
    [path, 400],
    ['', 400]
  ]
  for (const [url, status] of urls) t.equal((await save({ url })).status, status, url)
  t.strictSame([...server.requests, ...other.requests, ...elsewhere.requests], [])
  t.strictSame(created, [])

  const strict = await start(t, true)
  t.equal((await strict.save({ url: `${strict.server.origin}/cache/files/away` })).status, 403)
  t.strictSame(strict.elsewhere.requests, [], 'nor where a redirect leads')
})

t.test('a copy that is cut off, too large, an error page or of another format is not stored, also if the hook does not notice', async t => {
  let noticed = 0
  const careless: ActionOptions['saveAs'] = async ({ content }) => {
    await bytesOf(content).catch(() => { noticed++ })
    return { url: '/stored' }
  }
  for (const saveAs of [true, careless] as const) {
    const created: string[] = []
    const memory = memoryStorage()
    const storage: EditorStorage = { ...memory, create: async (...args) => { const info = await memory.create(...args); created.push(info.fileId); return info } }
    const { server, save, host } = await start(t, saveAs, { storage, maxFileSize: PDF.length * 3 })
    const small = await start(t, saveAs, { maxFileSize: 100 })
    const statuses = []
    for (const name of ['cut', 'html', 'missing', 'x']) statuses.push((await save({ url: `${server.origin}/cache/files/${name}` })).status)
    statuses.push((await save({ fileType: 'docx' })).status, (await small.save()).status)
    t.strictSame(statuses, [502, 502, 502, 200, 502, 413])
    t.equal(created.filter(id => id !== host.fileId).length, saveAs === true ? 1 : 0)
  }
  t.ok(noticed > 0)
  const careful = await start(t, async ({ content }) => {
    await bytesOf(content)
  })
  t.match(await careful.save({ url: `${careful.server.origin}/cache/files/cut` }), {
    status: 502,
    body: { code: 'FST_EDITOR_UPSTREAM' }
  }, 'it is not the hook that failed')
  const unread = await start(t, () => {})
  t.equal((await unread.save()).status, 200, 'a hook need not read it')
  const failing = await start(t, () => { throw new Error('no') })
  t.match(await failing.save(), { status: 500, body: { code: 'FST_EDITOR_ACTION_FAILED' } })
  for (const url of ['javascript:alert(1)', '//evil.example.com']) t.equal((await (await start(t, () => ({ url }))).save()).status, 500)
})

t.test('whatever the title, a copy has a plain file name with the extension of its format', async t => {
  const { save, server } = await start(t, () => {})
  const table: Array<[title: string, name: string]> = [
    ['../../etc/passwd', '_.._etc_passwd.pdf'],
    ['..\\..\\boot.ini', '_.._boot.ini.pdf'],
    ['/etc/cron.d/x', '_etc_cron.d_x.pdf'],
    ['report\u0000.php', 'report_.php.pdf'],
    ['a\r\nSet-Cookie: x', 'a__Set-Cookie_ x.pdf'],
    ['gpj.\u202Efdp', 'gpj._fdp.pdf'],
    ['gpj\u061cfdp', 'gpj_fdp.pdf'],
    ['Q1/Q2: "results" <1>.pdf', 'Q1_Q2_ _results_ _1_.pdf'],
    ['con', '_con.pdf'],
    ['NUL.pdf', '_NUL.pdf'],
    ['.htaccess', 'htaccess.pdf'],
    ['...', '_.pdf'],
    ['', '_.pdf'],
    ['   ', '_.pdf'],
    ['name. . ', 'name.pdf'],
    ['\ud800', '\ufffd.pdf'],
    ['Übersicht März', 'Übersicht März.pdf'],
    ['日'.repeat(200), `${'日'.repeat(83)}.pdf`],
    ['x'.repeat(4000), `${'x'.repeat(251)}.pdf`]
  ]
  for (const [title, name] of table) {
    const { status, body } = await save({ title })
    t.strictSame({ status, name: body.title }, { status: 200, name }, JSON.stringify(title).replace(/[^ -~]/g, '?').slice(0, 50))
    t.ok(Buffer.byteLength(body.title) <= 255)
  }
  const count = server.requests.length
  for (const fileType of ['php', '', '../pdf', 'pdf/x', 'p df', '.pdf', 'pdf\u0000', 'x'.repeat(17), ['pdf']]) {
    t.equal((await save({ fileType })).status, 400, String(fileType))
  }
  t.equal((await save({ title: 'x'.repeat(4001) })).status, 400)
  t.equal(server.requests.length, count, 'nothing is fetched')
})
