// The hook `inspect`: what it decides about a save before anything is stored.
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { StorageContent, FastifyOnlyofficeOptions, InspectEvent, InspectResult, SaveFailedEvent } from '../../lib/index.js'
import { NEW, OLD, startEditing, type EditingOptions } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { deferred, holdTimers } from '../kit/time.js'

type Inspect = NonNullable<FastifyOnlyofficeOptions['inspect']>

/** By the document server's clock. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()

async function start (t: Test, inspect: Inspect, options: EditingOptions = {}) {
  const failed: SaveFailedEvent[] = []
  const editing = await startEditing(t, { inspect, onSaveFailed (event) { failed.push(event) }, ...options })
  const { url, post } = editing
  return {
    ...editing,
    failed,
    /** A callback about a save, another one each second. */
    saves: async (status = 2, second = 1) =>
      await post({ status, users: ['ada'], lastsave: at(second), url: url.replace('output.docx', `output${second}.docx`) })
  }
}

t.test('a save is stored after the hook has seen all its bytes, as often as it wants', async t => {
  const seen: object[] = []
  const { fileId, key, saves, failed, storedText, listing } = await start(t, async ({ content, ...event }, { signal }) => {
    const [first, second] = await Promise.all([text(content), text(content)])
    await content[Symbol.asyncIterator]().next() // and leaves it halfway
    seen.push({ ...event, first, second, stored: await storedText(fileId), isAborted: signal.aborted })
    return true
  })
  const facts = { size: NEW.length, fileType: 'txt', fileId, key, users: ['ada'], first: NEW, second: NEW, isAborted: false }
  t.equal(await saves(6), 0)
  t.equal(await saves(6), 0, 'a repeat')
  t.strictSame(seen, [{ ...facts, reason: 'force-save', stored: OLD }], 'which is not inspected again')
  t.equal(await saves(2, 2), 0)
  t.strictSame(seen[1], { ...facts, reason: 'save', stored: NEW })
  t.equal(await storedText(fileId), NEW)
  t.strictSame(await listing(), [`${fileId}.txt`])
  t.strictSame(failed, [])
})

t.test('a rejected save is not stored, the message is told, and its repeat is inspected again', async t => {
  let result: InspectResult = { reject: true, message: ` No\u0000 <b>names</b>\n 100% ${'x'.repeat(500)}` }
  const { fileId, saves, failed, unchanged, storedText } = await start(t, () => result)
  const message = `No <b>names</b> 100% ${'x'.repeat(255)}`.slice(0, 255)
  for (const status of [6, 2]) {
    t.equal(await saves(status), 1)
    await unchanged(t, `status ${status}`)
    t.match(failed.at(-1), { fileId, status, code: 'FST_EDITOR_REJECTED', error: { message, statusCode: 422, retryable: false } })
  }
  result = true
  t.equal(await saves(), 0)
  t.equal(await storedText(fileId), NEW)
})

/** A time limit of the hook that a test lets pass. */
const INSPECT_MS = 200_000

let onHang = () => {}

/** A stream that an application gives away although it does not work. */
const broken = (how: 'fails' | 'hangs' | 'endless') =>
  new Readable({
    read () {
      if (how === 'hangs') onHang()
      if (how === 'fails') this.destroy(new Error('the scanner is gone'))
      if (how === 'endless') this.push(Buffer.alloc(65_536))
    }
  })
const REJECTED_LATE = Promise.reject(new Error('late'))
REJECTED_LATE.catch(() => {})

const UNUSABLE: ReadonlyArray<readonly [what: string, inspect: () => unknown, message: RegExp, code?: string]> = [
  ['throws', () => { throw Object.assign(new Error('no such file'), { code: 'FST_EDITOR_FILE_NOT_FOUND' }) }, /failed/],
  ['throws nothing', () => { throw undefined }, /failed/], // eslint-disable-line no-throw-literal
  ['rejects', () => REJECTED_LATE, /failed/],
  ...[undefined, null, false, 'true', 1, {}, [], { reject: true }, { reject: true, message: 1 }, { reject: 'yes', message: '' }, { reject: false, replace: NEW }, { replace: NEW }, { replace: null }, { replace: true }]
    .map(result => [`returns ${JSON.stringify(result)}`, () => result, /something other than/] as const),
  ['returns a stream that was read', async () => { const stream = Readable.from([Buffer.from(NEW)]); await text(stream); return { replace: stream } }, /something other than/],
  ['replaces it with nothing', () => ({ replace: Buffer.alloc(0) }), /is empty/],
  ['replaces it with a stream of nothing', () => ({ replace: Readable.from([]) }), /is empty/],
  ['replaces it with text in a stream', () => ({ replace: Readable.from(['text']) }), /a replacement that failed/],
  ['replaces it with a stream that fails', () => ({ replace: broken('fails') }), /a replacement that failed/],
  ['replaces it with a stream that hangs', () => ({ replace: broken('hangs') }), /within 200000 ms/],
  ['replaces it with too much', () => ({ replace: broken('endless') }), /limit of 100000 bytes/, 'FST_EDITOR_TOO_LARGE'],
  ['hangs', () => { onHang(); return new Promise(() => {}) }, /within 200000 ms/]
]

t.test('a hook that fails refuses the save, which is stored when it works again', async t => {
  const timers = holdTimers(t, INSPECT_MS)
  onHang = timers.pass
  let inspect: () => unknown = () => true
  let signal: AbortSignal | undefined
  const { fileId, post, saves, failed, unchanged, storedText } = await start(t, async (_event, context) => {
    signal = context.signal
    return await inspect() as InspectResult
  }, { timeouts: { inspect: INSPECT_MS }, maxFileSize: 100_000 })
  for (const [index, [what, unusable, message, code = 'FST_EDITOR_INSPECTION_FAILED']] of UNUSABLE.entries()) {
    inspect = unusable
    const [answer, next] = await Promise.all([saves(6, index), post({ status: 1, users: ['ada'] })])
    t.equal(answer, 1, what)
    t.equal(next, 0, 'the next callback is handled')
    t.match(failed.at(-1), { code, error: { message, retryable: code !== 'FST_EDITOR_TOO_LARGE' } }, what)
    t.ok(signal?.aborted)
    await unchanged(t, what)
    timers.hold()
  }
  t.equal(failed.length, UNUSABLE.length)
  inspect = () => true
  t.equal(await saves(6, 99), 0)
  t.equal(await storedText(fileId), NEW)
})

t.test('a replacement is checked as the save is, and stored in its place', async t => {
  const LABELLED = packageOf('CONFIDENTIAL: what the document server saved')
  for (const [name, options] of Object.entries<EditingOptions>({ files: {}, memory: { memory: true } })) {
    await t.test(name, async t => {
      let replace: () => StorageContent = () => Readable.from([LABELLED.slice(0, 9), LABELLED.slice(9)].map(part => Buffer.from(part)))
      const { fileId, post, url, failed, storage, storedText, others } = await start(t, async ({ content }) => {
        const reader = content[Symbol.asyncIterator]()
        await reader.next()
        await reader.return?.() // halfway
        t.equal(await text(content), NEW, 'inspected once')
        return { replace: replace() }
      }, { fileType: 'docx', ...options })
      t.equal(await post({ status: 6, url, lastsave: at(1) }), 0)
      t.equal(await storedText(fileId), LABELLED)
      t.equal((await storage.stat(fileId))?.size, LABELLED.length)
      if (name === 'files') t.strictSame(await others.listing(), [`${fileId}.docx`])
      for (const [wrong, message] of [['<html>', /is not docx but an HTML page/], [NEW.slice(0, -4), /failed/]] as const) {
        replace = () => new TextEncoder().encode(wrong)
        t.equal(await post({ status: 6, url, lastsave: at(wrong.length) }), 1)
        t.match(failed.at(-1), { code: 'FST_EDITOR_INSPECTION_FAILED', error: { message } })
      }
      t.equal(await storedText(fileId), LABELLED)
      const final = packageOf('CONFIDENTIAL: all')
      replace = () => new TextEncoder().encode(final)
      t.equal(await post({ status: 2, url, lastsave: at(59) }), 0)
      t.equal(await storedText(fileId), final)
    })
  }
})

t.test('nobody reads, and nothing is stored, when the time is up', async t => {
  const timers = holdTimers(t, INSPECT_MS)
  const returned = deferred<InspectResult>()
  const inspecting = deferred<InspectEvent>()
  const late = new Readable({ read () {} })
  const { saves, unchanged } = await start(t, async event => {
    inspecting.resolve(event)
    return await returned.promise
  }, { timeouts: { inspect: INSPECT_MS } })
  const answer = saves()
  const reader = (await inspecting.promise).content[Symbol.asyncIterator]()
  t.equal((await reader.next()).done, false)
  timers.pass()
  t.equal(await answer, 1)
  t.equal((await reader.next()).done, true, 'the file is closed')
  returned.resolve({ replace: late })
  await once(late, 'close')
  await unchanged(t, 'the late replacement')
})

t.test('a file that somebody replaces during the inspection stays, and the save becomes a conflict copy', async t => {
  const events: InspectEvent[] = []
  const conflicts: string[] = []
  const { fileId, key, saves, others, storage, storedText } = await start(t, async event => {
    events.push(event)
    await others.replace(fileId, 'txt', 'of another program')
    return { replace: Buffer.from(`${NEW}!`) }
  }, { onSaved ({ stored, conflict }) { if (conflict) conflicts.push(stored.fileId) } })
  t.equal(await saves(), 0)
  t.match(events, [{ fileId, key, reason: 'save' }], 'inspected once')
  t.equal(await storedText(fileId), 'of another program')
  t.equal(await storedText(conflicts[0]!), `${NEW}!`)
  t.equal((await storage.stat(conflicts[0]!))?.fileType, 'txt')
})

t.test('the format is that of the bytes, a CSV file is inspected as it will be stored', async t => {
  const seen: unknown[] = []
  const inspect: Inspect = async ({ content, fileType }) => { seen.push([fileType, await text(content)]); return true }
  const changed = await start(t, inspect)
  t.equal(await changed.post({ status: 2, url: changed.url, filetype: 'docx', lastsave: at(1) }), 0)
  t.strictSame(seen.pop(), ['docx', NEW])
  const csv = await start(t, inspect, { fileType: 'csv', serve: (_request, response) => response.end('\ufeffa,b,\n7,y,\n') })
  await csv.others.replace(csv.fileId, 'csv', 'a;b\r\n007;x\r\n')
  t.equal(await csv.post({ status: 2, url: csv.url, filetype: 'csv', key: await csv.openedKey(), lastsave: at(1) }), 0)
  t.strictSame(seen.pop(), ['csv', 'a;b\r\n7;y\r\n'])
  t.equal(await csv.storedText(csv.fileId), 'a;b\r\n7;y\r\n')
})
