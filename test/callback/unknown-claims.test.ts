import t from 'tap'
import { errorOf, NEW, OLD, startEditing } from '../kit/editing.js'
import { signed, startHost } from '../kit/host.js'
import { memoryLog, WARN } from '../kit/log.js'

const json = { 'content-type': 'application/json' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** What the two tokens of a callback contain besides its fields, by the place of the additions. */
const places: Record<string, (fields: object, extra: object) => { readonly body?: object, readonly header?: object }> = {
  'in the body token': (fields, extra) => ({ body: { ...fields, ...extra }, header: { payload: fields } }),
  'in the header token beside payload': (fields, extra) => ({ body: fields, header: { payload: fields, ...extra } }),
  'in the header token inside payload': (fields, extra) => ({ body: fields, header: { payload: { ...fields, ...extra } } }),
  'in both tokens': (fields, extra) => ({ body: { ...fields, ...extra }, header: { payload: fields, ...extra } }),
  'in the only token, of the body': (fields, extra) => ({ body: { ...fields, ...extra } }),
  'in the only token, of the header': (fields, extra) => ({ header: { payload: fields, ...extra } })
}

const additions: Record<string, object> = {
  'operation callback': { operation: 'callback' },
  'an unknown operation': { operation: 'save-2027' },
  'an operation that is no text': { operation: { name: 'converter' } },
  'other claims': { aud: ['app'], iss: 'docs', jti: '1', nbf: 1, purpose: null, payload2: { status: 6 } }
}

for (const [place, tokensOf] of Object.entries(places)) {
  t.test(`a save is stored whatever its tokens say besides the callback's fields: ${place}`, async t => {
    const told: object[] = []
    const editing = await startEditing(t, { memory: true, onCallback: event => { told.push(event) } })
    for (const [what, extra] of Object.entries(additions)) {
      const url = editing.url.replace('_1/', `_${told.length + 1}/`)
      const fields = { key: editing.key, status: 6, url, users: ['u1'] }
      const { body, header } = tokensOf(fields, extra)
      const answer = await editing.postCallback(editing.fileId, { ...fields, ...(body && { token: signed(body) }) }, {
        ...json,
        ...(header && bearer(signed(header)))
      })
      t.equal(errorOf(answer.body), 0, what)
      t.equal(editing.documentServer.requests.length, told.length, what)
      t.notOk('operation' in told.at(-1)!, 'hooks see no claim about the token')
    }
  })
}

t.test('a token that was made for another purpose is refused, with the purpose in the log', async t => {
  for (const operation of ['converter']) {
    for (const [place, tokensOf] of Object.entries(places)) {
      const log = memoryLog()
      const editing = await startEditing(t, { memory: true, server: log.server })
      const fields = { key: editing.key, status: 2, url: editing.url }
      const { body, header } = tokensOf(fields, { operation })
      const answer = await editing.postCallback(editing.fileId, { ...fields, ...(body && { token: signed(body) }) }, {
        ...json,
        ...(header && bearer(signed(header)))
      })
      // the document server does not look for the claim there either
      const isAField = place === 'in the header token inside payload'
      t.equal(errorOf(answer.body), isAField ? 0 : 1, `${operation} ${place}`)
      t.equal(await editing.storedText(editing.fileId), isAField ? NEW : OLD)
      const lines = log.records().filter(({ level }) => level >= WARN)
      if (!isAField) t.match(lines, [{ msg: /refused/, err: { message: `was made for another purpose: its claim "operation" is "${operation}"` } }])
    }
  }
})

t.test('a download by token is allowed whatever the token says besides its URL, unless it names another purpose', async t => {
  const host = await startHost(t, { signedUrls: false })
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = host.handler({ action: 'download', fileId })
  const statusWith = async (claims: object) => (await fetch(url, { headers: bearer(signed(claims)) })).status
  for (const [what, extra] of Object.entries({ ...additions, 'operation download': { operation: 'download' } })) {
    t.equal(await statusWith({ payload: { url }, ...extra }), 200, `${what} beside payload`)
    t.equal(await statusWith({ payload: { url, ...extra } }), 200, `${what} inside payload`)
  }
  for (const operation of ['converter', 'command', 'docbuilder', 'browser']) {
    t.equal(await statusWith({ payload: { url }, operation }), 401, operation)
    t.equal(await statusWith({ payload: { url, operation } }), 200, `${operation} inside payload`)
  }
})

t.test('a download at a signed URL needs no token, whatever a token says', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = host.urls.download(fileId)
  for (const operation of ['download', 'callback', 'converter', 'unknown-2027']) {
    const response = await fetch(url, { headers: bearer(signed({ payload: { url }, operation })) })
    t.equal(response.status, 200, operation)
    t.equal(await response.text(), 'content')
  }
})

t.test('fields of the callback must still agree in both tokens, those that hooks do not know too', async t => {
  const editing = await startEditing(t, { memory: true })
  const fields = { key: editing.key, status: 6, url: editing.url, forcesavetype: 0, encrypted: false }
  for (const [name, value] of Object.entries({
    encrypted: true,
    forcesavetype: 1,
    userdata: 'x',
    lastsave: '2026-11-23T00:00:00.000Z',
    formsdataurl: editing.url,
    mailMerge: {},
    actions: [],
    filetype: 'docx'
  })) {
    const answer = await editing.postCallback(editing.fileId, { ...fields, token: signed(fields) }, {
      ...json,
      ...bearer(signed({ payload: { ...fields, [name]: value } }))
    })
    t.equal(errorOf(answer.body), 1, name)
  }
  t.equal(await editing.storedText(editing.fileId), OLD)
})

t.test('what looks like a save is not acknowledged with an unknown status, because the document server may delete what is: secure answers 1', async t => {
  const told: unknown[] = []
  const editing = await startEditing(t, { memory: true, onCallback: event => { told.push(event.status) } })
  const announced = { key: editing.key, url: editing.url, filetype: 'txt' }
  const ofSaves = { changesurl: editing.url, history: {}, lastsave: '2026-11-24T08:00:00.000Z', notmodified: false, filetype: 'txt' }
  for (const [name, value] of Object.entries(ofSaves)) {
    t.equal(await editing.post({ key: editing.key, status: 8, [name]: value }), 1, name)
  }
  told.length = 0
  for (const status of [8, 99, -1]) {
    t.equal(await editing.post({ ...announced, status }), 1, `status ${status} with a file`)
    t.equal(await editing.post({ key: editing.key, status }), 0, `status ${status} without one`)
  }
  t.equal(await editing.post({ ...announced, status: 5, mailMerge: {} }), 0, 'a mail merge')
  t.strictSame(told, [8, 8, 99, 99, -1, -1, 5], 'the application sees each of them')
  await editing.unchanged(t, 'unknown statuses')
  t.equal(await editing.post({ ...announced, status: 2 }), 0, 'the session goes on')
  t.equal(await editing.storedText(editing.fileId), NEW)
})
