import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { deferred, holdTimers } from '../kit/time.js'

const LARGE = 64 * 1024
const MOST = 2 // of the four threads that libuv has unless UV_THREADPOOL_SIZE says otherwise
const HANGING_MS = 1000 // a write that takes so long does not count any more

type Write = (this: unknown, bytes: Uint8Array) => Promise<void>

/** Stands in front of the writes of this process until the test ends. */
async function interceptWrites (t: Test, replacement: (write: Write) => Write): Promise<void> {
  const handle = await open(import.meta.filename, 'r')
  const methods = Object.getPrototypeOf(handle) as { writeFile: Write }
  await handle.close()
  const { writeFile } = methods
  t.teardown(() => { methods.writeFile = writeFile })
  methods.writeFile = replacement(writeFile)
}

async function * inChunks (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += LARGE) yield bytes.subarray(start, start + LARGE)
}

t.test('large contents that are stored at once leave threads of the pool to others', async t => {
  holdTimers(t, HANGING_MS) // no write hangs, however slow the disk is
  const storage = fileStorage({ directory: t.testdir() })
  await storage.ready()
  let writing = 0
  let most = 0
  await interceptWrites(t, write => async function (bytes) {
    if (bytes.length < LARGE) return await write.call(this, bytes)
    most = Math.max(most, ++writing)
    await write.call(this, bytes)
    writing--
  })
  const contents = Array.from({ length: 10 }, () => randomBytes(20 * LARGE + 1))
  const stored = await Promise.all(contents.map(async content => await storage.create('docx', inChunks(content))))
  t.equal(most, MOST)
  for (const [number, { fileId }] of stored.entries()) {
    t.ok(contents[number]!.equals(Buffer.concat(await (await storage.read(fileId))!.body.toArray())), `document ${number}`)
  }
})

t.test('writes that hang do not hold up others', async t => {
  const timers = holdTimers(t, HANGING_MS)
  const storage = fileStorage({ directory: t.testdir() })
  await storage.ready()
  let begun = 0
  const allHang = deferred()
  const over = deferred()
  await interceptWrites(t, write => async function (bytes) {
    if (bytes.length < LARGE || ++begun > MOST) return await write.call(this, bytes)
    if (begun === MOST) allHang.resolve()
    await over.promise
  })
  const hanging = Array.from({ length: MOST }, async () => await storage.create('docx', inChunks(randomBytes(LARGE))))
  t.teardown(async () => {
    over.resolve()
    await Promise.all(hanging) // which closes their files
  })
  await allHang.promise
  timers.pass()
  const content = randomBytes(3 * LARGE)
  const { fileId } = await storage.create('docx', inChunks(content))
  t.ok(begun > MOST, 'others were written while these hang')
  t.ok(content.equals(Buffer.concat(await (await storage.read(fileId))!.body.toArray())))
})
