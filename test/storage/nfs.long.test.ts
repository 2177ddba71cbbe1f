import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { storageConformance } from '../../lib/conformance/index.js'
import { launcherIn } from '../campaigns/kills/containers.js'
import { documentNames, storedVersion, tempNames } from '../campaigns/kills/directory.js'
import { download, openedKey, startDocumentServer } from '../campaigns/kills/document-server.js'
import { makeDocument, versionOf } from '../campaigns/kills/documents.js'
import { editedFile, nextSave } from '../campaigns/kills/edited-file.js'
import { startInstance } from '../campaigns/kills/instances.js'
import { randomFrom } from '../campaigns/kills/random.js'

/** Two paths, separated by a colon: mounts of one NFS export by two clients, each with a cache of its own. */
const [here = '', there = ''] = (process.env.NFS_TEST_MOUNTS ?? '').split(':')
/** A command that restarts the NFS server. */
const restart = process.env.NFS_TEST_RESTART ?? 'true'
const skip = there === '' && 'This machine has no two NFS mounts of one export in NFS_TEST_MOUNTS: npm run test:nfs makes them in a virtual machine'

t.setTimeout(1_200_000) // in a machine that is emulated

let cases = 0
const sharedFolder = () => ['mine', 'theirs'].map((_, client) => join([here, there][client]!, `case-${process.pid}-${cases}`)) as [string, string]

t.test('on NFS, what one client writes, another sees at once, and does not overwrite it', { skip }, async t => {
  cases++
  const storages = sharedFolder().map(directory => fileStorage({ directory }))
  for (const storage of storages) await storage.ready()
  let { fileId, revision } = await storages[0]!.create('docx', Buffer.from('0'))
  for (let step = 1; step <= 8; step++) {
    const [writer, reader] = step % 2 === 0 ? storages : storages.toReversed()
    t.equal((await reader!.stat(fileId))?.revision, revision)
    t.equal((await writer!.stat(fileId))?.revision, revision)
    await writer!.versions.keep(fileId, revision) // the old file stays, under another name
    const fileType = step % 4 === 0 ? 'odt' : 'docx'
    const info = await writer!.replace(fileId, Buffer.from(String(step)), { ifRevision: revision, fileType })
    t.equal(await reader!.replace(fileId, Buffer.from('late'), { ifRevision: revision }), null)
    t.strictSame(await reader!.stat(fileId), info)
    t.equal(await text((await reader!.read(fileId))!.body), String(step))
    t.equal((await reader!.versions.list(fileId)).length, step)
    revision = info!.revision
  }
  t.ok(await storages[0]!.remove(fileId))
  t.equal(await storages[1]!.stat(fileId), null)
  t.strictSame(await storages[1]!.versions.list(fileId), [])
})

t.test('on NFS, two clients that count concurrently lose no increment', { skip }, async t => {
  cases++
  const folders = sharedFolder()
  await mkdir(folders[0])
  const processes = folders.map(directory => fork(join(import.meta.dirname, 'incrementing.ts'), [directory, '30']))
  await Promise.all(processes.map(process => once(process, 'message')))
  for (const process of processes) process.send('go')
  t.strictSame(await Promise.all(processes.map(async process => (await once(process, 'exit'))[0])), [0, 0])
  for (const directory of folders) t.match((await fileStorage({ directory }).snapshot('a')).record, { value: { count: 60 } })
})

t.test('on NFS, saves of two machines are stored in order, whatever becomes of a machine or the server', { skip }, async t => {
  cases++
  const folders = sharedFolder()
  const names = ['a', 'killed', 'restarted']
  await mkdir(folders[0])
  for (const fileId of names) await writeFile(join(folders[0], `${fileId}.docx`), makeDocument({ fileId, version: 0 }, 1000))
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const [one, two] = await Promise.all(folders.map((directory, client) => startInstance(t, {
    directory, documentServer: documentServer.origin, holds: client === 0 ? { restarted: 'recorded' } : { killed: 'recorded' }
  }, launcherIn(`machine-${client}`))))
  const random = randomFrom(1)

  async function open (fileId: string) {
    const file = editedFile(fileId, 'docx')
    file.key = await openedKey(fileId, one!.origin)
    t.equal(await openedKey(fileId, two!.origin), file.key, 'one key for all openers')
    t.equal(await documentServer.postOpened(fileId, file.key, two!.origin), 0)
    return {
      save (status: 2 | 6) {
        const save = Object.assign(nextSave(file, { status }, random), { filetype: 'docx', pause: 0 })
        documentServer.offer(save)
        return save
      }
    }
  }

  await t.test('saves by turns', async t => {
    const { save } = await open('a')
    for (let step = 1; step <= 6; step++) {
      const [via, other] = step % 2 === 0 ? [one!, two!] : [two!, one!]
      t.equal(await documentServer.post(save(step === 6 ? 2 : 6), via.origin), 0)
      t.equal(versionOf((await download('a', other.origin))!, 'a'), step)
    }
  })

  await t.test('the server restarts in the middle of a save', async t => {
    const { save } = await open('restarted')
    const answer = documentServer.post(save(2), one!.origin)
    await one!.held(1)
    execFileSync('sh', ['-c', restart], { stdio: 'ignore' })
    one!.goOn()
    t.equal(await answer, 0)
    t.equal(await storedVersion(folders[1], 'restarted.docx'), 1)
  })

  await t.test('a machine dies in the middle of a save', async t => {
    const { save } = await open('killed')
    const lost = save(2)
    const answer = documentServer.post(lost, two!.origin)
    await two!.held(1)
    await two!.kill()
    t.equal(await answer, undefined)
    t.equal(await documentServer.post(lost, one!.origin), 0, 'another one takes over')
    t.equal(await storedVersion(folders[1], 'killed.docx'), 1)
  })

  t.same((await documentNames(folders[1])).sort(), names.map(name => `${name}.docx`), 'no copies')
  await fileStorage({ directory: folders[1] }).sweep({ olderThan: -60_000 })
  t.same(await tempNames(folders[1]), [], 'and a sweep removes what the dead machine left')
})

t.test('on NFS, the conformance suite passes, with a second storage on another client', { skip }, async t => {
  await storageConformance({
    test: (name, run) => t.test(name, run),
    create () {
      cases++
      const [directory, other] = sharedFolder()
      return {
        storage: fileStorage({ directory }),
        reopen: () => fileStorage({ directory: other }),
        list: async () => (await readdir(directory)).filter(name => !name.startsWith('.')).sort()
      }
    }
  })
  t.ok(cases > 15)
})
