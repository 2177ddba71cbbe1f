import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { documentNames, tempNames } from '../campaigns/kills/directory.js'
import { openedKey, startDocumentServer } from '../campaigns/kills/document-server.js'
import { makeDocument, versionOf } from '../campaigns/kills/documents.js'
import { editedFile, nextSave } from '../campaigns/kills/edited-file.js'
import { startInstance as startProcess } from '../campaigns/kills/instances.js'
import { randomFrom } from '../campaigns/kills/random.js'
import { isOnS3 } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

t.setTimeout(300_000)

t.test('the process exits by itself once the save is stored', {
  skip: isOnS3 && 'This storage has no directory. Processes over it: scripts/cluster-saves.js'
}, async t => {
  const fileId = 'report'
  const directory = join(t.testdir({ uploads: { 'report.docx': makeDocument({ fileId, version: 0 }, 100) } }), 'uploads')
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const service = await startProcess(t, { directory, documentServer: documentServer.origin })
  const file = editedFile(fileId, 'docx')
  file.key = await openedKey(fileId, service.origin)
  t.equal(await documentServer.postOpened(fileId, file.key, service.origin), 0)
  const save = nextSave(file, { status: 2 }, randomFrom(1))
  const [begun, gate] = [deferred(), deferred()]
  documentServer.offer(Object.assign(save, { filetype: 'docx', begun: begun.resolve, pause: gate.promise }))
  const answer = documentServer.post(save, service.origin)
  await begun.promise
  const exited = service.close()
  gate.resolve()
  t.equal(await answer, 0)
  t.equal(await exited, 0)
  t.equal(versionOf(await readFile(join(directory, 'report.docx')), fileId), save.version)
  t.same(await documentNames(directory), ['report.docx'])
  t.same(await tempNames(directory), [])
})
