import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { FastifyOnlyofficeOptions, FormSubmittedEvent } from '../../lib/index.js'
import { PDF } from '../kit/document-server.js'
import { type Editing, startEditing } from '../kit/editing.js'
import { collect, memoryLog } from '../kit/log.js'
import { storeOf } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

const DATA = [{ key: 'Name', tag: '', value: 'Ada', type: 'text' }, { key: 'Agreed', tag: '', value: true, type: 'checkBox' }]
const ACTIONS = [{ type: 2, userid: 'ada' }]

type Serve = (response: ServerResponse, path: string) => unknown

async function startForms (t: Test, options: FastifyOnlyofficeOptions | object = {}, serve: { data?: Serve, pdf?: Serve } = {}) {
  const { data = response => response.end(JSON.stringify(DATA)), pdf = response => response.end(PDF) } = serve
  const submitted: Array<FormSubmittedEvent & { readonly bytes: Buffer }> = []
  const editing = await startEditing(t, {
    fileType: 'pdf',
    serve: ({ url = '' }, response) => (url.includes('formsdata') ? data : pdf)(response, url),
    async onFormSubmitted (event: FormSubmittedEvent) {
      const chunks: Uint8Array[] = []
      for await (const chunk of event.pdf) chunks.push(chunk)
      submitted.push({ ...event, bytes: Buffer.concat(chunks) })
    },
    ...options
  })
  return { ...editing, submitted, fields: fieldsFor(editing) }
}

function fieldsFor ({ documentServer: { origin } }: Pick<Editing, 'documentServer'>, n = 1) {
  return {
    status: 6,
    forcesavetype: 3,
    url: `${origin}/cache/files/data/k_${n}/output.pdf/output.pdf?md5=a`,
    formsdataurl: `${origin}/cache/files/data/k_${n}/formsdata.json/formsdata.json?md5=b`,
    filetype: 'pdf',
    actions: ACTIONS,
    users: ['grace'],
    lastsave: '2026-11-27T10:00:00.000Z'
  }
}

t.test('the answers in a submitted form reach the hook, and the form stays as it was', async t => {
  const published = collect(t, 'save')
  const { app, post, submitted, fields, fileId, key, unchanged } = await startForms(t)
  const { record } = await storeOf(app).snapshot(fileId)
  t.equal(await post({ key, ...fields }), 0)
  const { pdf, id, ...event } = submitted[0]!
  t.strictSame(event, { fileId, key, user: { id: 'ada' }, data: DATA, fileType: 'pdf', size: PDF.length, bytes: PDF })
  t.match(id, /^[\w-]{32}$/)
  t.ok(pdf)
  await unchanged(t, 'a submitted form')
  t.strictSame((await storeOf(app).snapshot(fileId)).record, record, 'the record does not know of it')
  t.match(published.messages.at(-1), { outcome: 'submitted', status: 6, fileId })

  t.equal(await post({ key, ...fields, encrypted: false, url: fields.url.replace('md5=a', 'md5=c') }), 0, 'a repeat')
  t.equal(submitted[1]!.id, id, 'has the same id')
  for (const others of [{ actions: [{ type: 2, userid: 'grace' }] }, { lastsave: '2026-11-27T10:00:01.000Z' }, { url: fields.url.replace('k_1', 'k_2') }]) {
    t.equal(await post({ key, ...fields, ...others }), 0)
    t.not(submitted.at(-1)!.id, id, `${Object.keys(others)} distinguish answers`)
  }
})

t.test('a hook that fails or takes too long refuses the answers, and gets them again with the same id', async t => {
  const failed: unknown[] = []
  const ids: string[] = []
  let answer: () => void | Promise<void> = () => { throw new Error('database away') }
  const { post, fields, unchanged } = await startForms(t, {
    timeouts: { hooks: 100 },
    onSaveFailed: ({ code }: { code: string }) => { failed.push(code) },
    onFormSubmitted ({ id }: FormSubmittedEvent) {
      ids.push(id)
      return answer()
    }
  })
  t.equal(await post(fields), 1)
  answer = () => new Promise(() => {})
  t.equal(await post(fields), 1)
  answer = () => {}
  t.equal(await post({ ...fields, encrypted: false }), 0)
  t.equal(new Set(ids).size, 1)
  t.equal(ids.length, 3)
  t.strictSame(failed, ['UNKNOWN'], 'once for these answers')
  await unchanged(t, 'refused answers')
})

t.test('answers that cannot be fetched or used are refused', async t => {
  const text = (body: string, headers = {}): Serve => response => response.writeHead(200, headers).end(body)
  const endless: Serve = response => {
    const chunk = Buffer.alloc(1024 ** 2, ' ')
    const more = () => { while (!response.destroyed && response.write(chunk)); }
    response.on('drain', more)
    more()
  }
  const huge: Serve = response => response.writeHead(200, { 'content-length': 2 ** 30 }).write(Buffer.alloc(1024 ** 2, ' '))
  const status: Serve = response => response.writeHead(404).end()
  const cases: Array<[what: string, fields: object, serve: { data?: Serve, pdf?: Serve }, code: string]> = [
    ['a foreign formsdataurl', { formsdataurl: 'http://127.0.0.1:1/cache/files/x/formsdata.json' }, {}, 'FST_EDITOR_ADDRESS_BLOCKED'],
    ['one of the cloud', { formsdataurl: 'http://169.254.169.254/latest/meta-data/formsdata' }, {}, 'FST_EDITOR_ADDRESS_BLOCKED'],
    ['a file', { formsdataurl: 'file:///etc/passwd' }, {}, 'FST_EDITOR_UNSUPPORTED_SCHEME'],
    ['no URL', { formsdataurl: 'formsdata' }, {}, 'FST_EDITOR_INVALID_URL'],
    ['a foreign url', { url: 'http://127.0.0.1:1/cache/files/x' }, {}, 'FST_EDITOR_ADDRESS_BLOCKED'],
    ['no formsdataurl', { formsdataurl: undefined }, {}, 'FST_EDITOR_INVALID_CALLBACK'],
    ['no url', { url: undefined }, {}, 'FST_EDITOR_INVALID_CALLBACK'],
    ['endless data', {}, { data: endless }, 'FST_EDITOR_TOO_LARGE'],
    ['a GiB of data', {}, { data: huge }, 'FST_EDITOR_TOO_LARGE'],
    ['nested data', {}, { data: text(`[{"key":"a","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`) }, 'FST_EDITOR_UPSTREAM'],
    ['an object as a value', {}, { data: text('[{"key":"a","value":{"b":1}}]') }, 'FST_EDITOR_UPSTREAM'],
    ['an object', {}, { data: text('{"key":"a"}') }, 'FST_EDITOR_UPSTREAM'],
    ['strings', {}, { data: text('["a"]') }, 'FST_EDITOR_UPSTREAM'],
    ['no JSON', {}, { data: text('[{"key":') }, 'FST_EDITOR_UPSTREAM'],
    ['no data', {}, { data: text('') }, 'FST_EDITOR_UPSTREAM'],
    ['an error page', {}, { data: text('<html>no</html>', { 'content-type': 'text/html' }) }, 'FST_EDITOR_UPSTREAM'],
    ['lost data', {}, { data: status }, 'FST_EDITOR_UPSTREAM'],
    ['a lost form', {}, { pdf: status }, 'FST_EDITOR_UPSTREAM'],
    ['a form cut off', {}, { pdf: response => response.writeHead(200, { 'content-length': 1000 }).write(PDF, () => response.destroy()) }, 'FST_EDITOR_UPSTREAM'],
    ['something else', {}, { pdf: text('<html>no</html>') }, 'FST_EDITOR_UPSTREAM'],
    ['a form that is too large', {}, { pdf: text(`${PDF}${' '.repeat(30 * 1024 ** 2)}`) }, 'FST_EDITOR_TOO_LARGE']
  ]
  for (const [what, changed, serve, code] of cases) {
    const codes: string[] = []
    const { post, fields, submitted, unchanged } = await startForms(t, {
      maxFileSize: 25 * 1024 ** 2,
      onSaveFailed: (event: { code: string }) => { codes.push(event.code) }
    }, serve)
    t.equal(await post({ ...fields, ...changed }), 1, what)
    t.strictSame(codes, [code], what)
    t.strictSame(submitted, [], what)
    await unchanged(t, what)
  }
})

t.test('without the hook a submitted form is refused, because everybody who sees a document can submit it', async t => {
  const failed: unknown[] = []
  const log = memoryLog()
  const { app, key, post, fields, fileId, unchanged } = await startForms(t, {
    server: log.server,
    onFormSubmitted: undefined,
    onSaveFailed: (event: unknown) => { failed.push(event) }
  })
  const { record } = await storeOf(app).snapshot(fileId)
  for (const more of [{}, { encrypted: false }, { formsdataurl: undefined }, { filetype: 'docx' }, { userdata: 'force-save-0' }]) {
    t.equal(await post({ key, ...fields, ...more }), 1)
  }
  await unchanged(t, 'a submitted form')
  t.strictSame((await storeOf(app).snapshot(fileId)).record, record, 'the record does not know of it')
  t.strictSame(failed, [], 'no save has failed')
  t.match(log.text(), /a form was submitted, and the option onFormSubmitted is not set/)
  for (const forcesavetype of [0, 1, 2]) {
    t.equal(await post({ key, ...fields, forcesavetype, lastsave: `2026-11-27T11:00:0${forcesavetype}.000Z` }), 0, 'other force saves are stored')
  }
})

const MIB = 1024 ** 2
const FIELD = '{"key":"a","value":"b"}'

t.test('data that would take long to read are refused before they are parsed', async t => {
  const list = (count: number, field: string) => `[${Array.from({ length: count }, () => field).join(',')}]`
  const cases: Array<[what: string, data: string, code: string | undefined]> = [
    ['10,000 fields', list(10_000, '{"key":"a","tag":"","value":"b","type":"text"}'), undefined],
    ['a picture', JSON.stringify([{ key: 'a', value: `data:image/png;base64,${'A'.repeat(3 * MIB)}` }]), undefined],
    ['a photo', JSON.stringify([{ key: 'a', value: `data:image/jpeg;base64,${'A'.repeat(15 * MIB)}` }]), undefined],
    ['brackets, commas and quotation marks in a text', JSON.stringify([{ key: 'a', value: '[{,"\\'.repeat(100_000) }]), undefined],
    ['10,001 fields', list(10_001, FIELD), 'FST_EDITOR_UPSTREAM'],
    ['a field of many values', `[{"a":${list(100_002, '1')}}]`, 'FST_EDITOR_UPSTREAM'],
    ['many values with names of their own', `[{${Array.from({ length: 100_002 }, (_, index) => `"${index}":1`).join(',')}}]`, 'FST_EDITOR_UPSTREAM'],
    ['nothing but brackets', '['.repeat(16 * MIB), 'FST_EDITOR_UPSTREAM'],
    ['nothing but commas', ','.repeat(16 * MIB), 'FST_EDITOR_UPSTREAM'],
    ['one text of more than 16 MiB', JSON.stringify([{ key: 'a', value: 'x'.repeat(16 * MIB) }]), 'FST_EDITOR_TOO_LARGE']
  ]
  for (const [what, data, code] of cases) {
    const codes: Array<string | undefined> = []
    const { post, fields, submitted } = await startForms(t, {
      onSaveFailed: (event: { code: string }) => { codes.push(event.code) }
    }, { data: response => response.end(data) })
    t.equal(await post(fields), code === undefined ? 0 : 1, what)
    t.strictSame(codes, code === undefined ? [] : [code], what)
    t.equal(submitted.length, code === undefined ? 1 : 0, what)
  }
})

t.test('a field named __proto__ is none', async t => {
  const { post, fields, submitted } = await startForms(t, {}, {
    data: response => response.end('[{"key":"a","__proto__":["b"],"value":"c"},{"__proto__":null}]')
  })
  t.equal(await post(fields), 0)
  const [first, second] = submitted[0]!.data
  t.strictSame(Object.getOwnPropertyNames(first), ['key', 'value'])
  t.equal(Object.getPrototypeOf(first), Object.prototype)
  t.strictSame(Object.getOwnPropertyNames(second), [])
})

t.test('many large forms at once: saves are stored meanwhile, and each form is handed over', async t => {
  const data = JSON.stringify([{ key: 'a', value: 'x'.repeat(MIB) }])
  const slow: Array<() => void> = []
  const waiting = deferred()
  let [handedOver, most, total] = [0, 0, 0]
  const { post, fields, url } = await startForms(t, {
    concurrentSaves: 1,
    async onFormSubmitted () {
      most = Math.max(most, ++handedOver)
      await new Promise(resolve => setTimeout(resolve, 10))
      handedOver--
      total++
    }
  }, {
    data (response) {
      slow.push(() => response.end(data))
      waiting.resolve()
    }
  })
  const forms = Array.from({ length: 5 }, async (_, index) => await post({ ...fields, url: fields.url.replace('k_1', `k_${index + 10}`) }))
  await waiting.promise
  t.equal(await post({ status: 6, url: url.replace('docx', 'pdf'), filetype: 'pdf' }), 0, 'a save does not wait for them')
  const served = setInterval(() => { for (const serve of slow.splice(0)) serve() }, 5)
  t.strictSame(await Promise.all(forms), new Array(5).fill(0))
  clearInterval(served)
  t.equal(total, 5)
  t.equal(most, 1, 'one at a time')
})
