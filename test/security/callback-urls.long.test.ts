import { readdir, readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { NEW, OLD, startEditing, type EditingOptions } from '../kit/editing.js'
import { signed, startHost } from '../kit/host.js'
import { savedAt, startUpstream } from '../kit/http.js'
import { memoryLog } from '../kit/log.js'

const FORGED = 'PK\x03\x04 the bytes of a reader PK\x05\x06'
/** The path of a result file, with its key. */
const RESULT = /^\/cache\/files\/data\/([\w.=-]+)_7\/output\.docx\/output\.docx$/

/** A service whose document server has the true file of save 7, and a reader's bytes everywhere else. */
async function start (t: Test, options: EditingOptions = {}) {
  let key = ''
  let content = NEW
  const editing = await startEditing(t, {
    serve: ({ url = '' }, response) => response.end(RESULT.exec(url.split('?', 1)[0]!)?.[1] === key ? content : FORGED),
    ...options
  })
  key = editing.key
  return {
    ...editing,
    end: savedAt('', key, 7),
    /** The document server's content from now on. */
    serve: (next: string) => { content = next },
    /** Posts signed fields as they stand. */
    async save (fields: object): Promise<string> {
      const all = { key, status: 6, lastsave: '2026-11-28T10:00:00.000Z', ...fields }
      return (await editing.postCallback(editing.fileId, { ...all, token: signed(all) })).body
    }
  }
}

const ACCEPTED = '{"error":0}'
const REFUSED = '{"error":1}'

/** The path and query of a file whose bytes a reader chose. */
const OTHER = '/cache/files/data/reader_1/output.docx/x.docx?md5=m-d-5&expires=1'

interface Origins { readonly own: string, readonly ownHost: string, readonly elsewhere: string, readonly elsewhereHost: string }

/**
 * What headers of a client make of the base: `X-Forwarded-Prefix`, `-Host`, `-Proto` and `-Port`. The document server
 * writes the genuine end behind it.
 */
const FORGED_BASES: Record<string, (origins: Origins) => string> = {
  'a path and a query in the prefix': ({ own }) => `${own}${OTHER}&x=`,
  'a fragment in the prefix': ({ own }) => `${own}/cache/files/data/reader_1/output.docx/x.docx#`,
  'dot segments in the prefix': ({ own }) => `${own}/cache/files/data/x/..`,
  'twice encoded dot segments in the prefix': ({ own }) => `${own}/x/%252e%252e`,
  'encoded slashes in the prefix': ({ own }) => `${own}/cache%2ffiles`,
  'an encoded query in the prefix': ({ own }) => own + OTHER.replace('?', '%3f'),
  'an encoded fragment in the prefix': ({ own }) => `${own}/x%23`,
  'a backslash in the prefix': ({ own }) => `${own}/x\\..\\x`,
  'a tab in the prefix': ({ own }) => `${own}/.\t./x`,
  'a line feed in the prefix': ({ own }) => `${own}/x\n`,
  'letters in the prefix that are not ASCII': ({ own }) => `${own}/\uff1f/\u2025`,
  'a question mark in the prefix': ({ own }) => `${own}/x?`,
  'the beginning of the genuine path in the prefix': ({ own }) => `${own}/cache/files/data`,
  'a path and a query in the host': ({ elsewhere }) => `${elsewhere}${OTHER}&x=`,
  'a user in the host': ({ ownHost, elsewhereHost }) => `http://${ownHost}@${elsewhereHost}`,
  'a backslash in the host': ({ elsewhere, ownHost }) => `${elsewhere}\\@${ownHost}`,
  'a list of hosts': ({ elsewhere, ownHost }) => `${elsewhere}, ${ownHost}`,
  'another host': ({ elsewhere }) => elsewhere,
  'another port': () => 'http://127.0.0.1:1',
  'another protocol': ({ ownHost }) => `https://${ownHost}`,
  'a protocol without a URL': ({ ownHost }) => `javascript://${ownHost}`,
  'a URL in the protocol': ({ elsewhere, ownHost }) => `${elsewhere}${OTHER}&x=://${ownHost}`
}

t.test('whatever headers of a client make of the base, the true bytes are stored', async t => {
  const elsewhere = await startUpstream(t, (_request, response) => response.end(FORGED))
  const log = memoryLog()
  const { documentServer: { origin }, fileId, save, serve, end, storedText } = await start(t, { server: log.server })
  const hostOf = (one: string) => new URL(one).host
  const origins = { own: origin, ownHost: hostOf(origin), elsewhere: elsewhere.origin, elsewhereHost: hostOf(elsewhere.origin) }
  let expected = OLD
  for (const [second, [what, base]] of Object.entries(FORGED_BASES).entries()) {
    serve(`${NEW} ${what}`)
    const answer = await save({ url: base(origins) + end, lastsave: new Date(Date.UTC(2026, 10, 28, 10, 0, second)).toISOString() })
    const isUrl = what !== 'a protocol without a URL' // the document server writes none
    if (isUrl) expected = `${NEW} ${what}`
    t.equal(answer, isUrl ? ACCEPTED : REFUSED, what)
    t.equal(await storedText(fileId), expected, what)
  }
  t.strictSame(elsewhere.requests, [], 'nothing is requested elsewhere')
  t.notMatch(log.text(), /m-d-5/, 'no line of the log has a query')
})

t.test('the final save of an editor is stored whatever a reader\'s host and folder are', async t => {
  const { documentServer, fileId, save, end, storedText } = await start(t)
  t.equal(await save({ status: 2, url: `https://evil.example.com/docs/${end}` }), ACCEPTED)
  t.equal(await storedText(fileId), NEW)
  t.strictSame(documentServer.requests, [end])
})

t.test('a URL whose end is not that of a file of this save is refused and not requested', async t => {
  const log = memoryLog()
  const { key, documentServer, save, end, unchanged } = await start(t, { server: log.server })
  const ends: Record<string, string> = {
    'the file of another key': savedAt('', 'another-key', 7),
    'a longer key': end.replaceAll(key, `x${key}`),
    'a key in other letters': end.replaceAll(key, key.toUpperCase()),
    'no number': end.replaceAll('_7/', '/'),
    'a long number': end.replaceAll('_7/', '_123456/'),
    'the changes': savedAt('', key, 7, { name: 'changes.zip' }),
    'the answers in a form': savedAt('', key, 7, { name: 'formsdata.json' }),
    'the opened document': savedAt('', key, 7, { name: 'origin.docx' }),
    'the editor\'s format': savedAt('', key, 7, { name: 'Editor.bin' }),
    'two names': end.replace('/output.docx?', '/other.docx?'),
    'the name once': end.replace('/output.docx/output.docx', '/output.docx'),
    'another name in the query': end.replace('filename=output.docx', 'filename=x.docx'),
    'a parameter before': end.replace('?', '?a=1&'),
    'a parameter after': `${end}&a=1`,
    'a parameter twice': `${end}&md5=x`,
    'a fragment': `${end}#`,
    'no query': end.split('?', 1)[0]!,
    'a second query': `${end}?`,
    'no end of the query': end.split('&filename', 1)[0]!,
    'other letters': end.replace('/cache/', '/CACHE/'),
    'encoded letters': end.replace('/cache/', '/c%61che/'),
    'an encoded slash': end.replace('/files/data/', '/files%2fdata/'),
    'an empty folder': end.replace('/files/data/', '/files//data/'),
    'one folder': end.replace('/files/data/', '/files/'),
    'six folders': end.replace('/files/data/', '/files/2/3/4/5/6/'),
    'dot segments': end.replace('/files/data/', '/files/x/../data/'),
    'encoded dot segments': end.replace('/files/data/', '/files/x/%2E%2e/data/'),
    'a tab': end.replace('/files/', '/fi\tles/'),
    'a signature of an object store at the document server itself': `/bucket/files/data/${key}_7/output.docx?X-Amz-Signature=1`
  }
  for (const [what, one] of Object.entries(ends)) t.equal(await save({ url: documentServer.origin + one }), REFUSED, what)
  t.strictSame(documentServer.requests, [])
  t.notMatch(log.text(), /m-d-5|X-Amz/, 'no line of the log has a query')
  await unchanged(t, 'other ends')
})

const STORE_QUERY = 'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2F20261128%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=5f'
type Address = (key: string, origin: string) => string

/** The forms in which document servers write URLs, by their settings. `origin`: of the options. */
const HONEST: Record<string, Address> = {
  files: (key, origin) => savedAt(origin, key, 7),
  'files, in a cluster': (key, origin) => savedAt(origin, key, 7, { shardkey: encodeURIComponent('another=key.1') }),
  'files, by WOPI': (key, origin) => savedAt(origin, key, 7, { shardkey: 'x' }).replace('shardkey=x', `WOPISrc=${encodeURIComponent('https://wopi.example.com/wopi/files/1?a=b')}`),
  'an object store': (key, origin) => savedAt(origin, key, 7).replace('/cache/', '/storage-cache/'),
  'a tenant': (key, origin) => savedAt(origin, key, 7).replace('/data/', '/data/tenant-1.example.com/'),
  'a tenant in an object store': (key, origin) => savedAt(origin, key, 7).replace('/cache/files/data/', '/storage-cache/files/data/tenant_1/'),
  'a virtual path': (key, origin) => savedAt(`${origin}/docs`, key, 7),
  'a virtual path that ends in a slash': (key, origin) => savedAt(`${origin}/docs/`, key, 7),
  'an underscore in the virtual path': (key, origin) => savedAt(`${origin}/only%5foffice`, key, 7),
  'an underscore in the host': key => savedAt('http://my%5fhost', key, 7),
  'other folders': (key, origin) => savedAt(origin, key, 7).replace('/files/data/', '/my/own/files/App_Data/'),
  'other folders, a tenant': (key, origin) => savedAt(origin, key, 7).replace('/files/data/', '/my/own/files/data/tenant/'),
  'a default port': key => savedAt('http://docs.example.com:80', key, 7)
}

t.test('each form in which the document server writes URLs is accepted, for every key', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end(NEW))
  const host = await startHost(t, { documentServerOrigin: upstream.origin, documentServer: { origins: [] } })
  for (const [index, suffix] of ['', '.=-_12_34'].entries()) {
    const { fileId } = await host.storage.create('txt', Buffer.from(OLD))
    const key = host.keys.of({ fileId, revision: 'some' }) + suffix
    for (const [second, [what, address]] of Object.entries(HONEST).entries()) {
      const url = address(key, upstream.origin)
      const fields = { key, status: 6, url, lastsave: new Date(Date.UTC(2026, 10, 28, 10, index, second)).toISOString() }
      t.equal((await host.postCallback(fileId, { ...fields, token: signed(fields) })).body, ACCEPTED, `${what}: ${url}`)
      t.equal(upstream.requests.at(-1), url.slice(url.search(/\/(?:storage-)?cache\//)), 'its end is fetched from the document server')
    }
  }
})

t.test('the file is fetched from internalUrl, or else from below the virtual path of editorApiUrl', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end(NEW))
  const asked = async (options: object, base: string) => {
    const host = await startHost(t, options)
    const { fileId } = await host.storage.create('txt', Buffer.from(OLD))
    const fields = { key: host.keys.of({ fileId, revision: 'some' }), status: 2 }
    const save = { ...fields, url: savedAt(base, fields.key, 7) }
    t.equal((await host.postCallback(fileId, { ...save, token: signed(save) })).body, ACCEPTED)
    return upstream.requests.pop()?.replace(savedAt('', fields.key, 7), '…')
  }
  const api = '/web-apps/apps/api/documents/api.js'
  for (const base of ['https://evil.example.com', 'https://docs.example.com/docs', 'https://docs.example.com/docs/']) {
    t.equal(await asked({ editorApiUrl: `https://docs.example.com/docs${api}`, documentServer: { internalUrl: upstream.origin } }, base), '…')
    t.equal(await asked({ editorApiUrl: `${upstream.origin}/docs${api}` }, base), '/docs…')
  }
})

t.test('from a base that documentServer.origins names with its path the file is fetched', async t => {
  const [named, internal] = [await startUpstream(t, (_request, response) => response.end(NEW)), await startUpstream(t, (_request, response) => response.end(NEW))]
  const host = await startHost(t, {
    documentServerOrigin: 'https://docs.example.com',
    documentServer: { internalUrl: internal.origin, origins: [`${named.origin}/files_of/docs`, 'https://docs.example.com'] }
  })
  const { fileId } = await host.storage.create('txt', Buffer.from(OLD))
  const key = host.keys.of({ fileId, revision: 'some' })
  const requests: Array<[base: string, named: string[], internal: string[]]> = [
    [`${named.origin}/files%5fof/docs`, [`/files_of/docs${savedAt('', key, 7)}`], []],
    [`${named.origin}/files_of/docs/`, [`/files_of/docs${savedAt('', key, 7)}`], []],
    [`${named.origin}/files%5fof`, [], [savedAt('', key, 7)]],
    [`${named.origin}/files%5fof/docs/x`, [], [savedAt('', key, 7)]],
    [`${named.origin}/files_of/docs?`, [], [savedAt('', key, 7)]],
    [`${named.origin}/files_of/docs#`, [], [savedAt('', key, 7)]],
    [named.origin.replace('//', '//u@') + '/files_of/docs', [], [savedAt('', key, 7)]],
    [named.origin, [], [savedAt('', key, 7)]],
    ['https://docs.example.com', [], [savedAt('', key, 7)]]
  ]
  for (const [second, [base, ...expected]] of requests.entries()) {
    const fields = { key, status: 6, url: savedAt(base, key, 7), lastsave: `2026-11-28T10:00:0${second}.000Z` }
    t.equal((await host.postCallback(fileId, { ...fields, token: signed(fields) })).body, ACCEPTED, base)
    t.strictSame([named.requests.splice(0), internal.requests.splice(0)], expected, base)
  }
})

/** Direct URLs of object stores. `origin`: one that `documentServer.origins` names. */
const DIRECT: Record<string, Address> = {
  'Amazon S3, the bucket in the path': (key, origin) => `${origin}/bucket/files/data/${encodeURIComponent(key)}_7/output.docx?${STORE_QUERY}`,
  'Amazon S3, the bucket in the host': (key, origin) => `${origin}/files/data/${encodeURIComponent(key)}_7/output.docx?${STORE_QUERY}`,
  'Amazon S3, a tenant': (key, origin) => `${origin}/bucket/files/data/tenant/${encodeURIComponent(key)}_7/output.docx?${STORE_QUERY}`,
  'Amazon S3, an older signature': (key, origin) => `${origin}/bucket/files/data/${encodeURIComponent(key)}_7/output.docx?AWSAccessKeyId=a&Expires=1&Signature=b%3D`,
  Azure: (key, origin) => `${origin}/container/files/data/${key}_7/output.docx?sv=2025-01-05&se=2026-11-28T11%3A00%3A00Z&sr=b&sp=r&rscd=attachment%3B&sig=a%2Bb%3D`
}

t.test('a direct URL of an object store is fetched from an origin that documentServer.origins names, as it is', async t => {
  const store = await startUpstream(t, (_request, response) => response.end(NEW))
  const elsewhere = await startUpstream(t, (_request, response) => response.end(FORGED))
  const { key, fileId, save, storedText, documentServer } = await start(t, { documentServer: { origins: [store.origin], internalUrl: 'http://127.0.0.1:9' } })
  let second = 10
  for (const [what, address] of Object.entries(DIRECT)) {
    for (const one of [key, `${key}.=-_`]) {
      const url = address(one, store.origin)
      t.equal(await save({ key: one, url, lastsave: `2026-11-28T10:00:${second++}.000Z` }), ACCEPTED, what)
      t.equal(store.requests.at(-1), url.slice(store.origin.length))
      t.equal(await storedText(fileId), NEW, what)

      if (one === key) continue
      const fetched = store.requests.length
      const url6 = address(`${one}6`, store.origin)
      for (const forged of [
        url6,
        address(one, elsewhere.origin),
        url.replace('output.docx', 'changes.zip'), url.replace('/output.docx', '/output.docx/x'),
        url.replace('_7/', '_7%2f'), url.replace('/data/', '/data/x/%2e%2e/'), url.replace('?', '?#'),
        url.replace('?', '??'), url.replace(/(?:X-Amz-Signature|Signature|sig)=/, 'a='), url.replace('://', '://u@'),
        url6.replace('?', `?/${one}_7/output.docx&`)
      ]) t.equal(await save({ key: one, url: forged, lastsave: `2026-11-28T10:01:${second}.000Z` }), REFUSED, forged)
      t.equal(store.requests.length, fetched)
    }
  }
  t.strictSame(elsewhere.requests, [])
  t.strictSame(documentServer.requests, [])
})

t.test('changes that are not those of the save are not fetched, and the save is stored', async t => {
  const log = memoryLog()
  const { key, documentServer, save, serve, end, storedText, fileId } = await start(t, { versions: {}, server: log.server })
  const changes = (n: number, one = key) => savedAt(documentServer.origin, one, n, { name: 'changes.zip' })
  const forged = [changes(8), changes(7, 'another-key'), documentServer.origin + end, 'no url', 'file:///etc/passwd']
  for (const [second, changesurl] of forged.entries()) {
    serve(NEW + second)
    t.equal(await save({ url: documentServer.origin + end, changesurl, lastsave: `2026-11-28T10:00:0${second}.000Z` }), ACCEPTED, changesurl)
    t.equal(await storedText(fileId), NEW + second)
  }
  t.strictSame(new Set(documentServer.requests), new Set([end]))
  t.equal(log.records().filter(({ msg }) => /^the changes in a save could not be fetched/.test(String(msg))).length, forged.length)
  const genuine = savedAt('', key, 7, { name: 'changes.zip' })
  const bases = ['https://evil.example.com', `${documentServer.origin}${OTHER}#`, `${documentServer.origin}${OTHER}&x=`]
  for (const [second, base] of bases.entries()) {
    t.equal(await save({ url: documentServer.origin + end, changesurl: base + genuine, lastsave: `2026-11-28T10:01:0${second}.000Z` }), ACCEPTED)
    t.equal(documentServer.requests.splice(0).filter(url => url === genuine).length, 1, 'true changes are fetched from the document server')
  }
})

t.test('without a token that proves the key, the key in the URL is that of the callback if it has one', async t => {
  const { documentServer, fileId, key, postCallback, storedText } = await start(t, { requireToken: false, signedUrls: false })
  const post = async (fields: object) => (await postCallback(fileId, JSON.stringify({ status: 6, ...fields }))).body
  t.equal(await post({ key, url: savedAt(documentServer.origin, 'another-key', 7) }), REFUSED)
  t.equal(await post({ url: `${documentServer.origin}/x` }), REFUSED)
  t.strictSame(documentServer.requests, [])
  t.equal(await post({ url: savedAt(documentServer.origin, key, 7) }), ACCEPTED)
  t.equal(await storedText(fileId), NEW)
})

t.test('every callback that was recorded at a real document server names a file that is fetched', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end(NEW))
  const host = await startHost(t, { documentServerOrigin: upstream.origin, requireToken: false, signedUrls: false, versions: {} })
  const folder = new URL('../../emulator/test/fixtures/recordings/', import.meta.url)
  const callbacks = new Map<string, { readonly key: string, readonly status: number, readonly url: string, readonly changesurl?: string }>()
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue
    const { steps } = JSON.parse(await readFile(new URL(name, folder), 'utf8')) as { steps: Array<{ bodyClaims?: any }> }
    for (const { bodyClaims: claims } of steps) if ([2, 6].includes(claims?.status) && claims.url) callbacks.set(claims.url, claims)
  }
  t.ok(callbacks.size > 50)
  for (const { key, status, url, changesurl } of callbacks.values()) {
    const { fileId } = await host.storage.create('txt', Buffer.from(OLD))
    t.equal((await host.postCallback(fileId, JSON.stringify({ key, status, url, changesurl }))).body, ACCEPTED, url)
    const expected = [url, changesurl].flatMap(one => one === undefined ? [] : [new URL(one)])
    t.strictSame(upstream.requests.splice(0).sort(), expected.map(({ pathname, search }) => pathname + search).sort())
  }
})
