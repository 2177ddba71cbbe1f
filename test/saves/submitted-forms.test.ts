import type { IncomingMessage, ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { EditorOptions, FormSubmittedEvent } from '../../lib/index.js'
import { PDF } from '../kit/document-server.js'
import { type Editing, profiles, startEditing, startInstance } from '../kit/editing.js'
import { collect, memoryLog } from '../kit/log.js'
import { startPair, startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

const DATA = [{ key: 'Name', tag: '', value: 'Ada', type: 'text' }, { key: 'Agreed', tag: '', value: true, type: 'checkBox' }]
const ACTIONS = [{ type: 2, userid: 'ada' }]

type Serve = (response: ServerResponse, path: string) => unknown

async function startForms (t: Test, options: EditorOptions | object = {}, serve: { data?: Serve, pdf?: Serve } = {}) {
  const { data = response => response.end(JSON.stringify(DATA)), pdf = response => response.end(PDF) } = serve
  const submitted: Array<FormSubmittedEvent & { readonly bytes: Buffer }> = []
  const editing = await startEditing(t, {
    extension: 'pdf',
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

for (const profile of profiles) {
  t.test(`the answers in a submitted form reach the hook, and the form stays as it was (${profile})`, async t => {
    const published = collect(t, 'save')
    const { post, submitted, fields, fileId, key, storage, unchanged } = await startForms(t, { profile })
    const record = await storage.state!.get(fileId)
    t.equal(await post({ key, ...fields }), 0)
    const { pdf, id, ...event } = submitted[0]!
    t.strictSame(event, { fileId, key, user: { id: 'ada' }, data: DATA, fileType: 'pdf', size: PDF.length, bytes: PDF })
    t.match(id, /^[\w-]{32}$/)
    t.ok(pdf)
    await unchanged(t, 'a submitted form')
    t.strictSame(await storage.state!.get(fileId), record, 'the record does not know of it')
    t.match(published.messages.at(-1), { outcome: 'submitted', status: 6, fileId })

    t.equal(await post({ key, ...fields, encrypted: false, url: fields.url.replace('md5=a', 'md5=c') }), 0, 'a repeat')
    t.equal(submitted[1]!.id, id, 'has the same id')
    for (const others of [{ actions: [{ type: 2, userid: 'grace' }] }, { lastsave: '2026-11-27T10:00:01.000Z' }, { url: fields.url.replace('k_1', 'k_2') }]) {
      t.equal(await post({ key, ...fields, ...others }), 0)
      t.not(submitted.at(-1)!.id, id, `${Object.keys(others)} distinguish answers`)
    }
  })
}

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

t.test('neither do saves wait for a submitted form, nor the form for them', async t => {
  const [entered, finish] = [deferred(), deferred()]
  const { post, fields, storedText, fileId } = await startForms(t, {
    async onFormSubmitted () {
      entered.resolve()
      await finish.promise
    }
  })
  const submitting = post(fields)
  await entered.promise
  t.equal(await post({ ...fields, forcesavetype: 1, formsdataurl: undefined }), 0)
  t.equal(await storedText(fileId), String(PDF), 'another force save is stored meanwhile')
  finish.resolve()
  t.equal(await submitting, 0)
  t.equal(await post({ ...fields, status: 2, forcesavetype: undefined, formsdataurl: undefined, lastsave: '2026-11-27T11:00:00.000Z' }), 0)
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
  const { key, post, fields, storage, fileId, unchanged } = await startForms(t, {
    server: log.server,
    onFormSubmitted: undefined,
    onSaveFailed: (event: unknown) => { failed.push(event) }
  })
  const record = await storage.state!.get(fileId)
  for (const more of [{}, { encrypted: false }, { formsdataurl: undefined }, { filetype: 'docx' }, { userdata: 'force-save-0' }]) {
    t.equal(await post({ key, ...fields, ...more }), 1)
  }
  await unchanged(t, 'a submitted form')
  t.strictSame(await storage.state!.get(fileId), record, 'the record does not know of it')
  t.strictSame(failed, [], 'no save has failed')
  t.match(log.text(), /a form was submitted, and the option onFormSubmitted is not set/)
  for (const forcesavetype of [0, 1, 2]) {
    t.equal(await post({ key, ...fields, forcesavetype, lastsave: `2026-11-27T11:00:0${forcesavetype}.000Z` }), 0, 'other force saves are stored')
  }
})

t.test('without tokens and without the hook it is stored as a force save, as the specification says', async t => {
  const { post, fields, storedText, fileId } = await startForms(t, { profile: 'classic', onFormSubmitted: undefined })
  t.equal(await post(fields), 0)
  t.equal(await storedText(fileId), String(PDF))
})

t.test('the hook gets the answers of forms only: anybody can submit anything', async t => {
  const log = memoryLog()
  const { post, fields, submitted, unchanged, documentServer } = await startForms(t, { server: log.server })
  for (const filetype of ['docx', 'xlsx', 'pptx', 'txt', 'DOCX', 'nonsense']) {
    const before = documentServer.requests.length
    t.equal(await post({ ...fields, filetype }), 1, filetype)
    t.equal(documentServer.requests.length, before, 'nothing is fetched')
  }
  t.strictSame(submitted, [])
  t.match(log.text(), /a form was submitted in a document of the format docx, which has no forms/)
  await unchanged(t, 'no form')
  t.equal(await post({ ...fields, filetype: 'PDF' }), 0)
  t.equal(submitted.length, 1)
})

t.test('a force save that the application waits for is not taken for a submitted form', async t => {
  let commanded: { readonly userdata: string } | undefined
  const sent = deferred()
  const editing = await startForms(t, {
    serve (request: IncomingMessage, response: ServerResponse) {
      if (request.method !== 'POST') return response.end(request.url!.includes('formsdata') ? JSON.stringify(DATA) : PDF)
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk)).on('end', () => {
        const command = JSON.parse(String(Buffer.concat(chunks)))
        if (command.c === 'forcesave') {
          commanded = command
          sent.resolve()
        }
        response.end(JSON.stringify({ error: 0, key: command.key }))
      })
    }
  })
  const { app, fileId, key, post, fields } = editing
  t.equal(await post({ key, status: 1, users: ['ada'] }), 0)
  const control = await app.editorControl().openDocument(fileId)
  let isDone = false
  const saving = control.forceSave().finally(() => { isDone = true })
  await sent.promise
  const { userdata } = commanded!
  t.equal(await post({ key, ...fields, userdata }), 0)
  t.equal(isDone, false)
  t.equal(await post({ key, ...fields, forcesavetype: 0, userdata, formsdataurl: undefined, url: fields.url.replace('k_1', 'k_2') }), 0)
  t.match(await saving, { saved: true })
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
    ['16 MB of small fields', list(16 * MIB / FIELD.length, FIELD), 'FST_EDITOR_TOO_LARGE'],
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
  const data = JSON.stringify([{ key: 'a', value: 'x'.repeat(3 * MIB) }])
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
  const forms = Array.from({ length: 10 }, async (_, index) => await post({ ...fields, url: fields.url.replace('k_1', `k_${index + 10}`) }))
  await waiting.promise
  t.equal(await post({ status: 6, url: url.replace('docx', 'pdf'), filetype: 'pdf' }), 0, 'a save does not wait for them')
  const served = setInterval(() => { for (const serve of slow.splice(0)) serve() }, 5)
  t.strictSame(await Promise.all(forms), new Array(10).fill(0))
  clearInterval(served)
  t.equal(total, 10)
  t.equal(most, 1, 'one at a time')
})

t.test('a session of the document server: submitted twice, refused once; the final save is stored as before', async t => {
  const events: FormSubmittedEvent[] = []
  let refused = 1
  const { app, documentServer, storedText, sent, saved } = await startService(t, {
    onFormSubmitted (event) {
      events.push(event)
      if (refused-- > 0) throw new Error('not now')
    }
  })
  const [filled, changed] = ['filled in', 'filled in, then changed'].map(text => `${PDF}% ${text}\n%%EOF\n`) as [string, string]
  const fileId = await app.editorControl().setDocumentFromBytes(PDF, 'Form.pdf')
  const control = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)
  const session = await documentServer.open(control.config!)
  await session.edit(Buffer.from(filled))
  const submit = async () => await session.forceSave({ type: 'form', formData: DATA })
  t.match(await submit(), { status: 6, accepted: false })
  t.match(await submit(), { status: 6, accepted: true })
  t.match(events, [{ user: { id: 'ada' }, data: DATA, fileType: 'pdf' }, { id: events[0]!.id }])
  t.equal(await storedText(fileId), String(PDF))
  t.match(await session.forceSave(), { status: 6, accepted: true }, 'the button still saves')
  t.equal(await storedText(fileId), filled)
  await session.edit(Buffer.from(changed))
  t.match(await submit(), { accepted: true })
  t.not(events[2]!.id, events[0]!.id)
  t.equal(await storedText(fileId), filled)
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await storedText(fileId), changed, 'nothing is lost')
  t.equal(sent(6).length, 4)
  t.strictSame(saved.map(({ status }) => status), [6, 2])
})

t.test('a viewer who submits a form in any document does not change it', async t => {
  for (const hook of [undefined, () => {}]) {
    const { open, stored, fileId, app, documentServer, saved } = await startService(t, { ...(hook && { onFormSubmitted: hook }) })
    const session = await open()
    const control = await app.editorControl({ user: { id: 'eve', name: 'Eve' }, permissions: { edit: false, fillForms: true } }).openDocument(fileId)
    const eve = await documentServer.open(control.config!)
    t.match(await eve.forceSave({ type: 'form', formData: DATA }), { status: 6, accepted: false })
    t.equal(await stored(), 'what was uploaded')
    await session.edit('by Ada')
    t.match(await eve.forceSave({ type: 'form', formData: DATA }), { status: 6, accepted: false })
    t.equal(await stored(), 'what was uploaded')
    await eve.close()
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'by Ada')
    t.strictSame(saved.map(({ status }) => status), [2])
  }
})

t.test('a repeat that reaches another instance has the same id', async t => {
  const ids: string[] = []
  const first = await startForms(t, { onFormSubmitted ({ id }: FormSubmittedEvent) { ids.push(id); throw new Error('down') } })
  const second = await startInstance(t, first, { onFormSubmitted: ({ id }) => { ids.push(id) } })
  t.equal(await first.post(first.fields), 1)
  t.equal(await second.post({ key: first.key, ...first.fields }), 0)
  t.equal(new Set(ids).size, 1)
  t.equal(ids.length, 2)

  const events: string[] = []
  const pair = await startPair(t, { onFormSubmitted: ({ id }) => { events.push(id) } })
  const form = await pair.a.app.editorControl().setDocumentFromBytes(PDF, 'Form.pdf')
  const control = await pair.a.app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(form)
  const session = await pair.documentServer.open(control.config!)
  await session.edit(Buffer.from(`${PDF}% filled in\n%%EOF\n`))
  for (const target of ['a', 'b'] as const) {
    pair.target = target
    t.match(await session.forceSave({ type: 'form', formData: DATA }), { accepted: true })
  }
  t.equal(events[0], events[1])
  t.equal(await pair.a.storedText(form), String(PDF))
})
