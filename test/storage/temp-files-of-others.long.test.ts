import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { hasEnded } from '../../lib/storage/process-identity.js'
import { namesIn, STATE } from '../kit/storage.js'
import { CONTAINER, isAllowed, runIn, secondsLater, writingIn } from './namespaces.js'

const MINUTES_3 = 180

async function afterStart (directory: string, seconds = 0): Promise<string[]> {
  await secondsLater(seconds, async () => await fileStorage({ directory }).ready())
  return await namesIn(directory)
}

/** An empty file under a name as a process of another machine would give it. */
async function foreignTemp (directory: string): Promise<string> {
  const name = `.fastify-onlyoffice~${createHash('sha256').update('elsewhere').digest('hex').slice(0, 12)}~1-2~${randomUUID()}`
  await writeFile(join(directory, name), '')
  return name
}

t.test('temp files of another machine stay while they may still be written, and are removed after two minutes without a write', async t => {
  const directory = t.testdir({ 'a.docx': 'old', [STATE]: { temp: {} } })
  const temps = join(directory, STATE, 'temp')
  const names = await Promise.all([directory, temps].map(foreignTemp))
  await mkdir(join(temps, names[1]!.replace(/.$/, last => last === '0' ? '1' : '0')), { recursive: true })
  t.ok((await afterStart(directory, 110)).includes(names[0]!))
  t.ok((await namesIn(temps)).includes(names[1]!))
  t.strictSame(await afterStart(directory, 130), ['a.docx'])
  t.strictSame(await namesIn(temps), [])
})

t.test('our own temp file stays however long nothing is written to it', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  const staged = await storage.stage('a', (async function * () { yield Buffer.from('new') })())
  t.equal((await afterStart(directory, 1_000_000)).length, 2)
  t.equal((await storage.replace('a', staged))?.size, 3)
})

t.test('the temp file of a container stays while the container runs, and is removed minutes after it was killed', async t => {
  if (!isAllowed(t, CONTAINER)) return
  const directory = t.testdir({ 'a.docx': 'old' })
  const [first, second] = [await writingIn(t, CONTAINER, directory), await writingIn(t, CONTAINER, directory)]
  const names = ['a.docx', first.temp, second.temp].sort()
  t.equal(new Set(names).size, 3)
  t.strictSame(await afterStart(directory), names, 'a start here')
  const third = await writingIn(t, CONTAINER, directory)
  t.strictSame(await namesIn(directory), [...names, third.temp].sort(), 'a start in another container')
  for (const { kill } of [first, second, third]) await kill()
  t.strictSame(await afterStart(directory, MINUTES_3), ['a.docx'])
})

t.test('a container killed and restarted over and over, each time with another host name, does not accumulate temp files', async t => {
  const renamed = { flags: [...CONTAINER.flags, '--uts'], prepare: 'hostname "c$(date +%s%N)"' }
  if (!isAllowed(t, renamed)) return
  const directory = t.testdir({ 'a.docx': 'old' })
  for (let round = 0; round < 3; round++) await (await writingIn(t, renamed, directory)).kill()
  t.strictSame(await afterStart(directory, MINUTES_3), ['a.docx'])
})

t.test('machines cloned from one image, identical in everything but the boot id, are told apart', async t => {
  const root = t.testdir({ boot_id: `${randomUUID()}\n`, uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  const other = { flags: ['--mount'], prepare: `mount --bind '${join(root, 'boot_id')}' /proc/sys/kernel/random/boot_id` }
  if (!isAllowed(t, other)) return
  const { temp, kill } = await writingIn(t, other, directory)
  const owner = temp.split('~').slice(1, 3).join('~')
  await kill()
  t.equal(hasEnded(owner), false, 'a process id that does not exist here proves nothing')
  t.strictSame(await afterStart(directory), [temp, 'a.docx'])
  t.strictSame(await afterStart(directory, MINUTES_3), ['a.docx'])
})

t.test('a process that cannot see other users\' processes considers none of them dead', async t => {
  const hiding = { flags: ['--pid', '--fork', '--mount', '--kill-child'], prepare: 'mount -t proc -o hidepid=2 proc /proc' }
  if (!isAllowed(t, hiding)) return
  const directory = t.testdir({ 'a.docx': 'old', [STATE]: { temp: {} } })
  for (const path of [directory, join(directory, STATE, 'temp')]) await chmod(path, 0o777)
  const { before, after, isHidden, hasEnded } = JSON.parse(await text(runIn(t, hiding, 'hidden-processes.ts', directory).stdout!))
  t.equal(isHidden, true)
  t.equal(before.length, 2)
  t.strictSame(after, before)
  t.strictSame(hasEnded, { theirs: false, ours: false })
})
