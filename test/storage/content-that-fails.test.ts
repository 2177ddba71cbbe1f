import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { fileStorage, memoryStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

const storages = {
  fileStorage: (t: Test) => fileStorage({ directory: t.testdir() }),
  memoryStorage: () => memoryStorage()
}

/** Fails at once, before anybody can have begun to read it. */
function failing (): Readable {
  const upload = new Readable({ read () {} })
  process.nextTick(() => upload.destroy(new Error('the upload broke off')))
  return upload
}

const missing = (t: Test): Readable => createReadStream(join(t.testdirName, 'missing'))

for (const [name, open] of Object.entries(storages)) {
  t.test(`${name}: content that fails before it is read rejects and causes no uncaught error`, async t => {
    const storage = open(t)
    const { fileId } = await storage.create('docx', Buffer.from('old'))
    for (const content of [failing, missing]) {
      await t.rejects(storage.create('docx', content(t)))
      await t.rejects(storage.stage(fileId, content(t)))
      await t.rejects(storage.replace(fileId, content(t)))
      await t.rejects(storage.create('../docx', content(t)), 'a bad extension')
      await t.rejects(storage.replace(fileId, content(t), { fileType: '../docx' }), 'a bad extension')
      t.equal(await storage.replace('absent', content(t)), null, 'an absent file')
      await new Promise(resolve => setImmediate(resolve)) // the failure of what nobody read
    }
    t.equal((await storage.stat(fileId))?.size, 3)
  })
}

t.test('uploadDocument(): an upload that breaks off before it is stored rejects, with any storage', async t => {
  const host = await startHost(t)
  await t.rejects(host.app.editorControl().uploadDocument(failing(), 'a.docx'), { message: 'the upload broke off' })
  await t.rejects(host.app.editorControl().uploadDocument(failing(), 'no extension'), { code: 'FST_EDITOR_INVALID_NAME' })
  await new Promise(resolve => setImmediate(resolve))
})
