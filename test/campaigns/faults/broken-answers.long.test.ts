import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../../lib/index.js'
import { deferred } from '../../kit/time.js'
import { errorOf, NEW, OLD } from '../../kit/editing.js'
import { type Host, type HostOptions, startHost } from '../../kit/host.js'
import { pathOfSaved } from '../../kit/http.js'
import { zipOf } from '../../kit/packages.js'
import { type Random, random } from '../random.js'
import { brokenAnswer, type RawAnswer, startAnswering, wholeAnswer } from './broken-answer.js'

const SEED = Number(process.env.SEED ?? 1)
const RUNS = Number(process.env.RUNS ?? 50)
/** Of a host's hook that asks somebody else: long enough for an answer to break meanwhile. */
const SLOW_MS = 10
const AT_ONCE = 25

t.setTimeout(300_000 + RUNS * 100)

/** A host that takes its time wherever it may, with its documents on the disk: whatever is fetched is read late. */
async function startSlowHost (t: Test, documentServerOrigin: string, options: HostOptions = {}, slowMs = SLOW_MS): Promise<Host> {
  const slowly = async () => { await delay(slowMs) }
  return await startHost(t, {
    documentServerOrigin,
    storage: fileStorage({ directory: join(t.testdir(), 'uploads') }),
    saveRetries: 0,
    onCallback: slowly,
    onSaveFailed: slowly,
    async authorize ({ action }) {
      await slowly()
      return action === 'proxy' ? 'grant' : undefined
    },
    prepare (app) {
      for (const hook of ['onRequest', 'preHandler', 'onError', 'onResponse'] as const) app.addHook(hook, slowly)
      app.addHook('onSend', async (_request, _reply, payload) => {
        await slowly()
        return payload
      })
    },
    ...options
  })
}

/** One of the many. Resolves to what became of it. */
type Play = (host: Host, origin: string, random: Random, answers: Map<string, RawAnswer>, name: string) => Promise<string>

const pathOf = (name: string) => `/cache/files/data/${name}_1/output.docx/output.docx`

function contentBetween (start: string, end: string, random: Random): Buffer {
  return Buffer.concat([Buffer.from(start), randomBytes(random.one([0, 50, 3000, 300_000])), Buffer.from(end)])
}

const plays: Record<string, Play> = {
  async save (host, origin, random, answers, name) {
    const content = zipOf(contentBetween('', '', random))
    answers.set(name, brokenAnswer(content, random))
    const info = await host.storage.create('docx', Buffer.from(OLD))
    const fields = { key: host.keys.of(info), status: random.one([2, 6]), url: origin + pathOf(name), filetype: 'docx' }
    const { status, body } = await host.postSignedCallback(info.fileId, fields)
    if (status !== 200) throw new Error(`status ${status}`)
    const error = errorOf(body)
    const stored = await storedBytes(host, info.fileId)
    if (error === 0 && stored.equals(content)) return 'stored'
    if (error === 1 && stored.equals(Buffer.from(OLD))) return 'refused'
    throw new Error(`answered ${body}, and ${stored.length} of ${content.length} bytes are stored`)
  },

  async proxy (host, origin, random, answers, name) {
    const content = contentBetween('', '', random)
    answers.set(name, brokenAnswer(content, random))
    const response = await fetch(host.handler({ action: 'proxy', url: origin + pathOf(name) }))
    const body = await response.arrayBuffer().then(bytes => Buffer.from(bytes), () => undefined)
    if (response.status === 200 && body === undefined) return 'cut off'
    if (response.status === 200 && body?.equals(content)) return 'proxied'
    if (response.status === 502 && String(body).includes('"FST_EDITOR_UPSTREAM"')) return 'refused'
    throw new Error(`status ${response.status}, ${body?.length} of ${content.length} bytes: ${body?.subarray(0, 100)}`)
  },

  async conversion (host, origin, random, answers, name) {
    const content = contentBetween('%PDF-', '%%EOF', random)
    const answer = JSON.stringify({ fileUrl: origin + pathOf(name), fileType: 'pdf', percent: 100, endConvert: true })
    const isResult = random.chance(0.5)
    answers.set(name, isResult ? brokenAnswer(content, random) : wholeAnswer(content))
    answers.set(`conversion of ${name}`, isResult ? wholeAnswer(answer) : brokenAnswer(Buffer.from(answer), random))
    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from(OLD), `${name}.docx`)
    try {
      const pdf = await control.convertToPdf({ maxAttempts: 1 })
      if (!pdf.equals(content)) throw new Error(`${pdf.length} of ${content.length} bytes`)
      return 'converted'
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('FST_EDITOR_')) return 'refused'
      throw error
    }
  }
}

async function storedBytes (host: Host, fileId: string): Promise<Buffer> {
  const { body } = (await host.storage.read(fileId))!
  return Buffer.concat(await body.toArray())
}

t.test(`${RUNS} saves, proxied files and conversions with truncated, empty, wrongly encoded or reset answers: each completes or fails with a typed error, and the process survives`, async t => {
  const answers = new Map<string, RawAnswer>()
  const origin = await startAnswering(t, request => {
    const [, target = ''] = /^GET (\S+)/.exec(request) ?? []
    const [, name] = /^\/cache\/files\/data\/(\w+)_1\//.exec(pathOfSaved(target)) ?? []
    const [, converted] = /"title":"(\w+)\.docx"/.exec(request) ?? []
    return answers.get(name ?? `conversion of ${converted}`)!
  })
  const host = await startSlowHost(t, origin)
  const counts: Record<string, number> = {}

  async function playOne (number: number): Promise<void> {
    const [kind, play] = Object.entries(plays)[number % 3]!
    const name = `secure${SEED}x${number}`
    try {
      const outcome = `${kind} ${await play(host, origin, random(SEED * 1_000_000 + number), answers, name)}`
      counts[outcome] = (counts[outcome] ?? 0) + 1
    } catch (error) {
      const what = [answers.get(`conversion of ${name}`)?.what, answers.get(name)?.what].filter(Boolean).join('; ')
      t.fail(`SEED=${SEED} RUNS=${RUNS}, number ${number}, ${kind}: ${(error as Error).message} (${what})`)
    }
  }
  for (let first = 0; first < RUNS; first += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, RUNS - first) }, async (_, index) => { await playOne(first + index) }))
  }
  t.comment(`seed ${SEED}: ${Object.entries(counts).sort().map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`)
  for (const outcome of ['save refused', 'proxy refused', 'proxy cut off', 'conversion refused', 'save stored', 'proxy proxied', 'conversion converted']) {
    if (RUNS >= 200) t.ok(counts[outcome], `${outcome}: every kind of answer occurred`)
  }
  const after = wholeAnswer(NEW)
  answers.set('after', after)
  t.equal(
    await (await fetch(host.handler({ action: 'proxy', url: origin + pathOf('after') }))).text(),
    NEW,
    'the next answer is right'
  )
})

for (const encoding of ['identity', 'gzip']) {
  const begun: RawAnswer = {
    what: 'begun',
    bytes: Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: 100\r\n\r\n`),
    ending: 'kept open'
  }

  t.test(`an answer that never ends, abandoned while hooks of the application are still running: 504, {"error":1}, and a typed rejection (${encoding})`, async t => {
    const origin = await startAnswering(t, () => begun)
    const host = await startSlowHost(t, origin, { timeouts: { total: 100 } }, 200)
    const proxied = await fetch(host.handler({ action: 'proxy', url: origin + pathOf('stalled') }))
    t.equal(proxied.status, 504)
    t.match(await proxied.json(), { code: 'FST_EDITOR_UPSTREAM_TIMEOUT' })

    const info = await host.storage.create('docx', Buffer.from(OLD))
    const saved = await host.postSignedCallback(info.fileId, { key: host.keys.of(info), status: 2, url: origin + pathOf('stalled'), filetype: 'docx' })
    t.strictSame([saved.status, saved.body], [200, '{"error":1}'])
    t.equal(await host.storedText(info.fileId), OLD)

    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from(OLD), 'stalled.docx')
    await t.rejects(control.convertToPdf({ maxAttempts: 1 }), { code: 'FST_EDITOR_UPSTREAM_TIMEOUT' })
  })

  t.test(`a client that disconnects while a hook of the application holds its answer: the next client is answered (${encoding})`, async t => {
    let answer = begun
    const origin = await startAnswering(t, () => answer)
    const [waiting, mayGoOn, isClosed] = [deferred(), deferred(), deferred()]
    const host = await startSlowHost(t, origin, {
      prepare (app) {
        app.addHook('onSend', async (_request, reply, payload) => {
          reply.raw.once('close', () => isClosed.resolve())
          waiting.resolve()
          await mayGoOn.promise
          return payload
        })
      }
    })
    const controller = new AbortController()
    const left = fetch(host.handler({ action: 'proxy', url: origin + pathOf('left') }), { signal: controller.signal })
    await waiting.promise
    controller.abort()
    await t.rejects(left)
    await isClosed.promise
    await delay(SLOW_MS) // what was begun breaks by now, and nobody reads it
    mayGoOn.resolve()
    answer = wholeAnswer('the next one')
    t.equal(await (await fetch(host.handler({ action: 'proxy', url: origin + pathOf('next') }))).text(), 'the next one')
  })
}
