import { join } from 'node:path'
import t from 'tap'
import { documentNames, tempNames } from './directory.js'
import { download, openedKey, type Save, startDocumentServer } from './document-server.js'
import { makeDocument, versionOf } from './documents.js'
import { editedFile, nextSave } from './edited-file.js'
import { startInstance } from './instances.js'
import { randomFrom } from './random.js'
import { deferred } from '../../kit/time.js'

const fileId = 'report'

t.setTimeout(300_000) // fsyncs of a busy machine

t.test('two processes on one directory', async t => {
  const root = t.testdir({ uploads: { 'report.docx': makeDocument({ fileId, version: 0 }, 1000), 'other.docx': 'another' } })
  const directory = join(root, 'uploads')
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const instances = await Promise.all([
    startInstance(t, { directory, documentServer: documentServer.origin }),
    startInstance(t, { directory, documentServer: documentServer.origin })
  ])
  const random = randomFrom(1)
  const file = editedFile(fileId, 'docx')

  const keys = async () => await Promise.all(instances.map(({ origin }) => openedKey(fileId, origin)))
  const stored = async () => await Promise.all(instances.map(async ({ origin }) => versionOf((await download(fileId, origin))!, fileId)))
  async function open (): Promise<void> {
    file.key = await openedKey(fileId, instances[0].origin)
    t.equal(await documentServer.postOpened(fileId, file.key, instances[1].origin), 0)
  }
  const saves = (count: number) => Array.from({ length: count }, () => nextSave(file, { status: 6 }, random))
  /** Every other one to the other process, all at once. */
  async function post (saves: Save[], first = 0): Promise<unknown[]> {
    saves.forEach(documentServer.offer)
    return await Promise.all(saves.map((save, index) => documentServer.post(save, instances[(first + index) % 2]!.origin)))
  }

  t.test('ten concurrent writers of one file leave one complete version', async t => {
    for (let round = 0; round < 5; round++) {
      await open()
      t.same(await post(saves(10)), Array(10).fill(0))
      t.same(await stored(), [file.version, file.version], 'the latest change, complete')
      t.same(await keys(), [file.key, file.key], 'the session goes on: it was recorded')

      t.same(await post([nextSave(file, { status: 2 }, random)]), [0])
      t.same(await stored(), [file.version, file.version], 'the saves left a record that knows its content: no conflict')
      const [key, other] = await keys()
      t.equal(key, other)
      t.not(key, file.key)
    }
    t.equal((await documentNames(directory)).length, 2, 'no copies')
    t.same(await tempNames(directory), [])
  })

  for (const status of [2, 6] as const) {
    t.test(`a slow force save in one process neither delays nor replaces a later ${status} of the other`, async t => {
      await open()
      const slow = nextSave(file, { status: 6 }, random)
      const later = nextSave(file, { status }, random)
      const [begun, gate] = [deferred(), deferred()]
      Object.assign(slow, { begun: begun.resolve, pause: gate.promise })
      const force = post([slow], 0)
      await begun.promise
      t.same(await post([later], 1), [0], 'it is stored while the other one is downloaded')
      t.notOk(slow.isSent)
      t.same(await stored(), [later.version, later.version])
      gate.resolve()
      t.same(await force, [0], 'it contains at least what is stored')
      t.same(await stored(), [later.version, later.version])
      t.equal((await keys()).includes(file.key), status === 6)
      if (status === 6) t.same(await post([nextSave(file, { status: 2 }, random)]), [0])
      t.equal((await documentNames(directory)).length, 2, 'no copies')
      t.same(await tempNames(directory), [])
    })
  }

  t.test('a slow finished save in one process counts as newer than a force save the other stored meanwhile', async t => {
    await open()
    const [force, final] = [nextSave(file, { status: 6 }, random), nextSave(file, { status: 2 }, random)]
    const [begun, gate] = [deferred(), deferred()]
    Object.assign(final, { begun: begun.resolve, pause: gate.promise })
    const finished = post([final], 0)
    await begun.promise
    t.same(await post([force], 1), [0])
    t.same(await stored(), [force.version, force.version])
    gate.resolve()
    t.same(await finished, [0])
    t.same(await stored(), [final.version, final.version])
    t.notOk((await keys()).includes(file.key))
    t.equal((await documentNames(directory)).length, 2, 'no copies')
  })

  t.test('a slow save of one file delays no other file, in neither process', async t => {
    await open()
    const slow = nextSave(file, { status: 6 }, random)
    const [begun, gate] = [deferred(), deferred()]
    Object.assign(slow, { begun: begun.resolve, pause: gate.promise })
    const answer = post([slow], 0)
    await begun.promise
    for (const [index, { origin }] of instances.entries()) {
      const other = editedFile('other', 'docx')
      other.key = await openedKey('other', origin)
      await documentServer.postOpened('other', other.key, origin)
      t.same(await post([nextSave(other, { status: 2 }, random)], index), [0])
    }
    t.notOk(slow.isSent)
    gate.resolve()
    t.same(await answer, [0])
    t.same(await stored(), [slow.version, slow.version])
    t.same(await post([nextSave(file, { status: 2 }, random)]), [0])
  })

  t.test('downloads during saves return complete versions', async t => {
    await open()
    const before = file.version
    const posted = post(saves(50))
    const versions = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        versionOf((await download(fileId, instances[index % 2]!.origin))!, fileId))
    )
    t.same(versions.filter(version => version === undefined || version < before), [])
    t.same(await posted, Array(50).fill(0))
    t.same(await stored(), [file.version, file.version])
    t.same(await tempNames(directory), [])
  })
})
