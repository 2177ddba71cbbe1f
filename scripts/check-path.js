// Counts the files of lib whose functions one request enters, in the profile `secure` with documents in a directory,
// and compares those of a save with ARCHITECTURE.md. Needs a build. Exits with 1 if they are more than BUDGETS.
//
// node scripts/check-path.js [--list [operation]]: also their names and functions, in the order of the first entry
import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** They only go down: whoever adds a file to a way joins two others that are entered only together. */
const BUDGETS = { opening: 22, download: 18, 'status 1': 30, save: 50, 'save with versions': 58, rename: 29 }

/**
 * That count, after one that warms up. A file that fewer than two of them have entered is entered by something else.
 */
const DOCUMENTS = 3
/**
 * What a request leaves behind has ended then, and the times of files tell of all changes: each look-up goes the same
 * way.
 */
const PAUSE_MS = 100
const JWT_SECRET = 'a-secret-of-this-check-0123457789'
const LIB = new URL('../dist/lib/', import.meta.url).href

/** @typedef {Map<string, Set<string>>} Entered names of functions by file */

const [list, only] = process.argv.slice(2)
const isListed = (/** @type {string} */ operation) => list === '--list' && (only ?? operation) === operation

const inspector = new Session()
inspector.connect()
inspector.post('Profiler.enable')
inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }) // before the modules are loaded
const { default: Fastify } = await import('fastify')
const { default: editor, fileStorage } = await import('../dist/lib/index.js')
const { createDocumentServer } = await import('onlyoffice-emulator')

const directory = await mkdtemp(join(tmpdir(), 'check-path-'))
const documentServer = await createDocumentServer({ jwtSecret: JWT_SECRET, libreOffice: false })
const results = { ...await measure(''), ...await measure(' with versions', { versions: {} }) }
await documentServer.close()
await rm(directory, { recursive: true })

for (const [operation, budget] of Object.entries(BUDGETS)) {
  const files = results[operation]
  if (!files) throw new Error(`no request was a ${operation}`)
  console.log(`${operation}: ${files.size} files (budget ${budget})`)
  if (isListed(operation)) for (const [file, names] of files) console.log(`  ${file}: ${[...names].join(', ')}`)
  if (files.size > budget) process.exitCode = 1
}
if (process.exitCode) console.log('Too long a way: see BUDGETS in scripts/check-path.js.')

const rooms = byRoom([...results.save?.keys() ?? []])
if (!(await readFile('ARCHITECTURE.md', 'utf8')).includes(rooms)) {
  console.log(`ARCHITECTURE.md lists other files for a save than these:\n\n${rooms}`)
  process.exitCode = 1
}

/**
 * Edits documents, one after another, in an application of its own. Resolves to what the requests of each operation
 * have entered.
 * @param {string} suffix of the operations' names
 * @param {Partial<import('../dist/lib/index.js').EditorOptions>} [options]
 */
async function measure (suffix, options) {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  /** @type {Record<string, Entered[]>} */
  const requests = {}
  let callback = 'status 1'
  let idle = Promise.resolve()

  /** @param {http.IncomingMessage} request */
  function operationOf ({ url = '' }) {
    const { pathname, searchParams } = new URL(url, origin)
    const action = searchParams.get('action') ?? (pathname === '/page' ? 'opening' : 'rename')
    return (action === 'callback' ? callback : action) + suffix
  }

  const app = Fastify({
    serverFactory: handler => server.on('request', (request, response) => {
      idle = idle.then(async () => {
        const operation = operationOf(request)
        const before = requests[operation] ?? []
        const end = startRecording(before.length > DOCUMENTS && isListed(operation))
        handler(request, response)
        await once(response, 'close')
        requests[operation] = [...before, end()]
        await delay(PAUSE_MS)
      })
    })
  })
  const editorApiUrl = `${documentServer.url}/web-apps/apps/api/documents/api.js`
  const storage = fileStorage({ directory })
  await app.register(editor, {
    editorApiUrl,
    jwtSecret: JWT_SECRET,
    publicBaseUrl: origin,
    path: '/handler',
    storage,
    actions: { rename () {} },
    ...options
  })
  app.get('/page', async (request, reply) => {
    const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(
      /** @type {{ fileId: string }} */ (request.query).fileId
    )
    return reply.type('text/html').send(control.render())
  })
  await app.ready()
  await storage.close() // ends its scans
  const fileIds = await Promise.all(
    Array.from({ length: 1 + DOCUMENTS + (list ? 1 : 0) }, () => app.editorControl().createDocument('docx'))
  )
  await delay(PAUSE_MS)

  for (const fileId of fileIds) {
    callback = 'status 1'
    const page = await (await fetch(`${origin}/page?fileId=${fileId}`)).text()
    const [, pageToken = '', config = ''] =
      /data-page-token="(.*?)".*?<script type="application\/json">(.*?)<\/script>/s.exec(page) ?? []
    const session = await documentServer.open(JSON.parse(config))
    const renamed = await fetch(`${origin}/handler/actions/rename`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
      body: '{"name":"Report"}'
    })
    await session.edit('content')
    await idle
    callback = 'save'
    const saved = await session.close()
    await idle
    if (!renamed.ok || !saved.accepted) throw new Error(`${renamed.status} and ${JSON.stringify(saved)}`)
  }
  await app.close()
  server.close()
  return Object.fromEntries(Object.entries(requests).map(([operation, [, ...all]]) => [operation, inMost(all)]))
}

/** @param {readonly string[]} files */
function byRoom (files) {
  /** @type {Record<string, string[]>} */
  const rooms = {}
  for (const file of files.toSorted()) {
    const name = file.replace(/\.js$/, '')
    const room = dirname(name)
    if (!name.endsWith('.compiled')) (rooms[room === '.' ? 'lib' : room] ??= []).push(basename(name))
  }
  return Object.entries(rooms).map(([room, names]) => `${`${room}:`.padEnd(17)}${names.join(' ')}`).join('\n')
}

/**
 * Coverage has no order. But it can be taken whenever a task begins, which takes seconds: then only the order within a
 * task is unknown.
 * @param {boolean} isOrdered
 * @returns what ends it
 */
function startRecording (isOrdered) {
  /** @type {Entered} */
  const entered = new Map()
  takeCoverage()
  const add = () => {
    for (const [file, names] of takeCoverage()) entered.set(file, new Set([...entered.get(file) ?? [], ...names]))
  }
  const hook = isOrdered ? createHook({ before: add }).enable() : undefined
  return () => {
    hook?.disable()
    add()
    return entered
  }
}

/**
 * What was entered since the last call, without the modules themselves. A module comes before those that it imports.
 */
function takeCoverage () {
  /** @type {import('node:inspector').Profiler.ScriptCoverage[]} */
  let scripts = []
  inspector.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    scripts = result
  }) // is called at once
  return scripts.filter(({ url }) => url.startsWith(LIB)).sort((a, b) => Number(a.scriptId) - Number(b.scriptId)).map(
    ({ url, functions }) => {
      const entered = functions.filter(({ functionName, ranges: [range] }) =>
        range?.count && (functionName || range.startOffset)
      )
      return /** @type {const} */ ([
        url.slice(LIB.length),
        entered.map(({ functionName }) => functionName || 'anonymous')
      ])
    }
  ).filter(([, names]) => names.length > 0)
}

/** @param {Entered[]} all of one operation: those that count, then perhaps one that is in order */
function inMost (all) {
  const counted = all.slice(0, DOCUMENTS)
  const files = new Set([...all.slice(DOCUMENTS), ...counted].flatMap(entered => [...entered.keys()]))
  return new Map([...files].filter(file => counted.filter(entered => entered.has(file)).length > DOCUMENTS / 2)
    .map(file => [file, new Set(all.toReversed().flatMap(entered => [...entered.get(file) ?? []]))]))
}
