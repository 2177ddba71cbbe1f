import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { fileStorage } from '../../../lib/index.js'
import { type AgeingDisk, keepNumber, launcherIn, named, onAgeingDisk } from './containers.js'
import { documentNames, storedVersion, tempNames } from './directory.js'
import { openedKey, type Save, startDocumentServer } from './document-server.js'
import { makeDocument } from './documents.js'
import { editedFile, nextSave } from './edited-file.js'
import { type Holds, type Step, STEPS } from './holds.js'
import { type Instance, startInstance } from './instances.js'
import { randomFrom } from './random.js'
import { isAllowed } from '../../storage/namespaces.js'

t.setTimeout(300_000)

/** Saves of a document for each step, and containers that store them and are held at that step. */
async function startSaving (t: Test, directory: string, steps: readonly Step[]) {
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const random = randomFrom(1)
  const files = steps.map(step => editedFile(step, 'docx'))
  for (const { fileId } of files) await writeFile(join(directory, `${fileId}.docx`), makeDocument({ fileId, version: 0 }, 1000))

  return {
    start: async (hostname: string, held: readonly Step[] = []) => {
      const holds: Holds = Object.fromEntries(held.map(step => [step, step]))
      const container = await startInstance(t, { directory, documentServer: documentServer.origin, holds }, launcherIn(named(hostname)))
      await keepNumber(t, container.pid)
      return container
    },
    /** The last one of a session. */
    async saves (opened: Instance): Promise<Save[]> {
      return await Promise.all(files.map(async file => {
        const { fileId } = file
        file.key = await openedKey(fileId, opened.origin)
        await documentServer.postOpened(fileId, file.key, opened.origin)
        const filetype = fileId === 'linked' || fileId === 'named' ? 'odt' : 'docx'
        return Object.assign(nextSave(file, { status: 2 }, random), { filetype, pause: 0 })
      }))
    },
    async post (saves: readonly Save[], { origin }: Instance): Promise<unknown[]> {
      saves.forEach(documentServer.offer)
      return await Promise.all(saves.map(save => documentServer.post(save, origin)))
    },
    /** The version of each document; there is no other. */
    async stored (t: Test): Promise<unknown[]> {
      const names = (await documentNames(directory)).sort()
      t.same(names.map(name => name.split('.')[0]), [...steps].sort(), 'each document exactly once and nothing else')
      return await Promise.all(names.map(async name => await storedVersion(directory, name)))
    }
  }
}

t.test('containers are killed during saves again and again: no save is lost, no temp files accumulate', async t => {
  if (!isAllowed(t, named('here'))) return
  await onAgeingDisk(t, async disk => await killAgainAndAgain(t, disk))
})

async function killAgainAndAgain (t: Test, { directory, age }: AgeingDisk): Promise<void> {
  const { start, saves, post, stored } = await startSaving(t, directory, STEPS)

  const first = await start('first', STEPS)
  const lost = await saves(first)
  const [unanswered] = [post(lost, first), await first.held(STEPS.length)]
  await first.kill()
  t.same(await unanswered, lost.map(() => undefined))

  for (const hostname of ['second', 'third', 'fourth']) {
    const next = await start(hostname, ['staged'])
    const answers = post(lost, next)
    await next.held(1)
    await next.kill()
    t.ok((await answers).includes(undefined))
  }

  const fifth = await start('fifth')
  t.same(await post(lost, fifth), lost.map(() => 0))
  t.same(await stored(t), lost.map(() => 1))
  const left = await tempNames(directory)
  t.ok(left.length >= 4, 'containers elsewhere may still be running: files they were writing are kept')
  await fifth.kill()

  const [young, ...old] = left
  await age([young!], 60)
  await age(old, 180)
  const sixth = await start('sixth')
  t.same(await tempNames(directory), [young], 'until nothing was written to it for two minutes')
  t.same(await stored(t), lost.map(() => 1))
  await sixth.kill()
}

t.test('a running container is not considered dead by others, whatever their host names', async t => {
  if (!isAllowed(t, named('here'))) return
  const directory = join(t.testdir({ uploads: {} }), 'uploads')
  const { start, saves, post, stored } = await startSaving(t, directory, STEPS)
  const living = await start('one', STEPS)
  const begun = await saves(living)
  const answers = post(begun, living)
  await living.held(STEPS.length)
  const temps = await tempNames(directory)
  const records = async () => await Promise.all(begun.map(async ({ fileId }) => (await fileStorage({ directory }).state.get(fileId))?.value))
  const before = await records()

  await fileStorage({ directory }).ready()
  const others = await Promise.all(['one', 'another'].map(async hostname => await start(hostname)))
  t.same(await tempNames(directory), temps, 'files it is writing stay')
  for (const { origin } of others) for (const { fileId } of begun) await openedKey(fileId, origin)
  t.same(await records(), before, 'nobody breaks its locks')

  living.goOn()
  t.same(await answers, begun.map(() => 0))
  t.same(begun.map(({ asked }) => asked), begun.map(() => 1), 'nothing had to be fetched again')
  t.same(await stored(t), begun.map(() => 1))
})

const OWN = `
  import { fileStorage } from '${new URL('../../../lib/index.ts', import.meta.url).href}'
  const { state } = fileStorage({ directory: '.' })
  process.stdout.write(String(state.hasEnded(state.owner)))
`

t.test('no process considers itself dead, whatever /proc shows', async t => {
  for (const namespaces of [named('here'), { flags: ['--pid', '--fork', '--kill-child'] }]) {
    if (!isAllowed(t, namespaces)) continue
    const [command = '', ...args] = [...launcherIn(namespaces), process.execPath, ...process.execArgv, '--input-type=module', '-e', OWN]
    const { stdout } = await promisify(execFile)(command, args)
    t.equal(stdout, 'false')
  }
})
