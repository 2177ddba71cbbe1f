import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyServerOptions } from 'fastify'
import t from 'tap'
import { memoryStorage, type SaveMessage } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { deferred } from '../kit/time.js'
import { type Editing, type EditingOptions, NEW, startEditing } from '../kit/editing.js'
import { answerWith } from '../kit/http.js'
import { signed } from '../kit/host.js'
import { collect, memoryLog } from '../kit/log.js'

interface End {
  readonly options?: EditingOptions
  /** The last callback is the one in question. */
  readonly act: (editing: Editing) => Promise<unknown>
  /** How many of its callbacks announce a save, or are refused. */
  readonly callbacks?: number
  readonly answer?: unknown
  readonly message: Partial<SaveMessage>
  /** Fields that the message must not have. */
  readonly without?: ReadonlyArray<keyof SaveMessage>
  readonly level?: number
  readonly line: RegExp
}

const INFO = 30
const WARN = 40
const ERROR = 50
const BYTES = Buffer.byteLength(NEW)
const TIME = '2026-11-20T16:12:26.000Z'
const LATER = '2026-11-20T16:12:27.000Z'

const save = async ({ post, key, url }: Editing, fields: object = {}) => await post({ key, status: 2, url, lastsave: TIME, users: ['u1'], ...fields })
const NOT_STORED = ['bytes', 'revision', 'conflictFileId', 'conflictReason', 'code'] as const
const REFUSED = ['bytes', 'revision', 'conflictFileId', 'conflictReason'] as const
const UNKNOWN = ['key', 'status', ...REFUSED] as const

const ends: Record<string, End> = {
  'a final save that is stored': {
    act: save,
    message: { status: 2, outcome: 'stored', bytes: BYTES },
    without: ['conflictFileId', 'conflictReason', 'code'],
    level: INFO,
    line: /^document saved$/
  },
  'a force save that is stored': {
    act: async editing => await save(editing, { status: 6 }),
    message: { status: 6, outcome: 'stored', bytes: BYTES },
    level: INFO,
    line: /^document saved$/
  },
  'a final save with the content of the force save before it': {
    async act (editing) {
      await save(editing, { status: 6 })
      return await save(editing, { url: `${editing.documentServer.origin}/again`, notmodified: true })
    },
    callbacks: 2,
    message: { status: 2, outcome: 'unchanged', bytes: BYTES },
    level: INFO,
    line: /^save skipped: content unchanged/
  },
  'a save that is repeated': {
    async act (editing) {
      await save(editing)
      return await save(editing)
    },
    callbacks: 2,
    message: { status: 2, outcome: 'repeated' },
    without: NOT_STORED,
    level: INFO,
    line: /^duplicate save/
  },
  'a save of a document that was changed from outside': {
    options: { policies: { conflict: 'keep-both' }, memory: true },
    async act (editing) {
      await editing.post({ key: editing.key, status: 1 })
      await editing.storage.replace(editing.fileId, Buffer.from('changed from outside'))
      return await save(editing)
    },
    message: { status: 2, outcome: 'conflict', bytes: BYTES, conflictReason: 'changed' },
    line: /someone else changed .* conflict copy$/
  },
  'a force save that is older than what is stored': {
    async act (editing) {
      await save(editing, { status: 6, url: `${editing.documentServer.origin}/later`, lastsave: LATER })
      return await save(editing, { status: 6 })
    },
    callbacks: 2,
    message: { status: 6, outcome: 'superseded' },
    without: NOT_STORED,
    line: /force save was not stored/
  },
  'a save of a document that was deleted, where that is acknowledged': {
    options: { policies: { missingFile: 'acknowledge' }, memory: true },
    async act (editing) {
      await editing.storage.remove!(editing.fileId)
      return await save(editing)
    },
    message: { status: 2, outcome: 'missing' },
    without: NOT_STORED,
    line: /document no longer exists/
  },
  'a final save without a url': {
    act: async ({ post, key }) => await post({ key, status: 2 }),
    answer: 1,
    message: { status: 2, outcome: 'refused', code: 'FST_EDITOR_INVALID_CALLBACK' },
    line: /^callback refused/
  },
  'a final save without a url that is discarded': {
    options: { policies: { corrupted: 'discard' } },
    act: async ({ post, key }) => await post({ key, status: 2 }),
    message: { status: 2, outcome: 'empty' },
    without: NOT_STORED,
    line: /without a url/
  },
  'a force save with an empty url': {
    act: async ({ post, key }) => await post({ key, status: 6, url: '' }),
    message: { status: 6, outcome: 'empty' },
    line: /without a url/
  },
  'a force save that could not be assembled': {
    act: async ({ post, key }) => await post({ key, status: 7 }),
    message: { status: 7, outcome: 'not-assembled' },
    without: NOT_STORED,
    line: /could not assemble a force save/
  },
  'a document that could not be assembled, where that is acknowledged': {
    options: { policies: { corrupted: 'discard' } },
    act: async ({ post, key }) => await post({ key, status: 3 }),
    message: { status: 3, outcome: 'not-assembled' },
    without: NOT_STORED,
    level: ERROR,
    line: /could not assemble the edited document/
  },
  'a save that cannot be fetched': {
    options: { serve: answerWith('gone', 404) },
    act: save,
    answer: 1,
    message: { status: 2, outcome: 'refused', code: 'FST_EDITOR_UPSTREAM' },
    without: REFUSED,
    line: /^callback refused/
  },
  'a save that the storage fails to store': {
    options: {
      memory: true,
      storage: committing(async () => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      })
    },
    act: save,
    answer: 1,
    message: { status: 2, outcome: 'refused', code: 'ENOSPC' },
    line: /^callback refused/
  },
  'a save that the storage does not finish': {
    options: { memory: true, timeouts: { storage: 100 }, storage: committing(async () => await new Promise<never>(() => {})) },
    act: save,
    answer: 1,
    message: { status: 2, outcome: 'refused', code: 'FST_EDITOR_STORAGE_TIMEOUT' },
    line: /^callback refused/
  },
  'a save of a document that was deleted': {
    options: { memory: true },
    async act (editing) {
      await editing.storage.remove!(editing.fileId)
      return await save(editing)
    },
    answer: 1,
    message: { status: 2, outcome: 'refused', code: 'FST_EDITOR_FILE_NOT_FOUND' },
    line: /^callback refused/
  },
  'a save that authorize denies': {
    options: { authorize: ({ action }) => action === 'callback' ? false : undefined },
    act: save,
    answer: 1,
    message: { outcome: 'refused', code: 'FST_EDITOR_FORBIDDEN' },
    without: UNKNOWN,
    line: /^callback refused/
  },
  'a callback with a token of another secret': {
    act: async ({ postCallback, fileId, key, url }) => (await postCallback(fileId, { key, status: 2, url, token: `${signed({ key, status: 2, url })}x` })).body,
    answer: '{"error":1}',
    message: { outcome: 'unproven', code: 'FST_EDITOR_UNAUTHORIZED' },
    without: UNKNOWN,
    line: /^an unproven callback was refused/
  },
  'a callback without a signature in its URL': {
    act: async ({ handler, fileId }) => await (await fetch(handler({ action: 'callback', fileId }), { method: 'POST', body: '{}' })).text(),
    answer: '{"error":1}',
    message: { outcome: 'unproven', code: 'FST_EDITOR_UNAUTHORIZED' },
    without: UNKNOWN,
    line: /^an unproven callback was refused/
  },
  'a callback that is not JSON': {
    act: async ({ postCallback, fileId }) => (await postCallback(fileId, 'nonsense')).body,
    answer: '{"error":1}',
    message: { outcome: 'unproven', code: 'FST_EDITOR_INVALID_CALLBACK' },
    without: UNKNOWN,
    line: /^an unproven callback was refused/
  },
  'a callback that a hook of the application limits': {
    options: {
      prepare (app) {
        app.addHook('preHandler', async request => {
          if (request.method === 'POST') {
            throw Object.assign(new Error('too many'), { statusCode: 429, code: 'LIMITED' })
          }
        })
      }
    },
    act: async ({ postCallback, fileId }) => (await postCallback(fileId, {})).status,
    answer: 429,
    message: { outcome: 'unproven', code: 'LIMITED' },
    without: UNKNOWN,
    level: INFO,
    line: /^editor request failed$/
  },
  'a report of users whose session cannot be noted': {
    options: { memory: true, storage: failingState() },
    act: async ({ post, key }) => await post({ key, status: 1, users: ['u1'] }),
    answer: 1,
    message: { status: 1, outcome: 'refused', code: 'Error' },
    line: /^callback refused/
  }
}

/** A storage that does something else when a save is to be published. */
function committing (commit: DocumentStore['commit']) {
  return { ...memoryStorage(), commit }
}

function failingState () {
  const memory = memoryStorage()
  return { ...memory, state: { ...memory.state, set: async () => { throw new Error('the state failed') } } }
}

/** The plugin's lines: not Fastify's, of each request. */
/** What the plugin says about saves. That a hook ends requests is said once, in a line of its own. */
function pluginLines (log: ReturnType<typeof memoryLog>) {
  return log.records().filter(({ level, msg }) =>
    level >= INFO && !/^(incoming request|request completed|Server listening|a hook of the application ended)/.test(msg)
  )
}

for (const [
  name,
  {
    options,
    act,
    callbacks = 1,
    answer = 0,
    message,
    without = [],
    line,
    level = line.source.startsWith('^callback') ? ERROR : WARN
  }
] of Object.entries(ends)) {
  t.test(`${name}: one message and one line in the log say what became of it`, async t => {
    const log = memoryLog()
    const editing = await startEditing(t, { server: log.server, ...options })
    const { messages } = collect(t, 'save')
    t.equal(await act(editing), answer)
    const last = messages.at(-1)!
    t.match(last, { fileId: editing.fileId, ...message })
    for (const field of without) t.notOk(field in last, `no ${field}`)
    if (last.status !== undefined) t.equal(last.key, editing.key)
    if (message.outcome === 'stored' || message.outcome === 'unchanged') t.equal(last.revision, (await editing.storage.stat(editing.fileId))!.revision)
    if (message.outcome === 'conflict') t.match(await editing.storage.stat(last.conflictFileId!), { revision: last.revision, size: BYTES })

    t.equal(messages.length, callbacks, 'one message for each callback')
    const lines = pluginLines(log)
    t.equal(lines.length, messages.length, 'one line for each message')
    t.match(lines.at(-1), { level, msg: line })
    if (line.source !== '^editor request failed$' && message.status !== 3) t.match(lines.at(-1), { fileId: editing.fileId, durationMs: Number })
    if (message.outcome !== 'refused' && message.outcome !== 'unproven' && message.status !== 3) t.match(lines.at(-1), last)
  })
}

t.test('status 3 that is not acknowledged has one message', async t => {
  const editing = await startEditing(t)
  const { messages } = collect(t, 'save')
  t.equal(await editing.post({ key: editing.key, status: 3 }), 1)
  t.match(messages, [{ fileId: editing.fileId, key: editing.key, status: 3, outcome: 'refused', code: 'FST_EDITOR_CORRUPTED_DOCUMENT' }])
  t.equal(messages.length, 1)
})

t.test('callbacks that announce no save have no message', async t => {
  const editing = await startEditing(t)
  const { messages } = collect(t, 'save')
  for (const status of [1, 5, 4]) t.equal(await editing.post({ key: editing.key, status }), 0)
  t.strictSame(messages, [])
})

/** The application's logger fails at these lines, and notes the others. */
function loggerFailingAt (failing: RegExp) {
  const written: string[] = []
  const logger: Exclude<FastifyServerOptions['logger'], boolean | undefined> = {
    stream: { write () {} },
    hooks: {
      logMethod (args, method) {
        const text = args.join(' ')
        if (failing.test(text)) throw new Error('the logger failed')
        written.push(text)
        method.apply(this, args)
      }
    }
  }
  return { written, logger }
}

for (const [name, failing, isSaid] of [['its line', /document saved$/, true], ['everything about saves', /\bsaved?\b/, false]] as const) {
  t.test(`a save is acknowledged if the application's logger fails at ${name}`, async t => {
    const { logger, written } = loggerFailingAt(failing)
    const editing = await startEditing(t, { server: { logger } })
    const { messages } = collect(t, 'save')
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
    t.match(messages, [{ outcome: 'stored' }])
    t.equal(messages.length, 1)
    t.equal(await editing.storedText(editing.fileId), NEW)
    t.equal(written.some(line => line.endsWith('the outcome of a save could not be logged')), isSaid)
    t.notOk(written.some(line => line.includes('callback refused')))
  })
}

t.test('a subscriber that throws changes nothing for the save and other subscribers: its error is an uncaughtException', async t => {
  const editing = await startEditing(t)
  const failure = new Error('the subscriber failed')
  const uncaught = deferred<unknown>()
  const fail = () => { throw failure }
  subscribe('fastify-onlyoffice:save', fail)
  t.teardown(() => unsubscribe('fastify-onlyoffice:save', fail))
  const { messages } = collect(t, 'save')
  const others = process.listeners('uncaughtException') // those of tap
  process.removeAllListeners('uncaughtException').once('uncaughtException', uncaught.resolve)
  t.teardown(() => { for (const listener of others) process.on('uncaughtException', listener) })

  t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0)
  t.equal(await uncaught.promise, failure)
  t.match(messages, [{ outcome: 'stored' }])
  t.equal(await editing.storedText(editing.fileId), NEW)
})
