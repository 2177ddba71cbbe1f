import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { hook, ioError } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

/** A document, two instances that share it, and how one of them saves it. */
async function startShared (t: Test) {
  const directory = t.testdir()
  const [first, second] = [fileStorage({ directory }), fileStorage({ directory })]
  const { fileId, revision } = await first.create('txt', Buffer.from('old'))
  const path = join(directory, `${fileId}.txt`)
  return {
    second,
    fileId,
    path,
    save: async ({ fileType = 'txt', ifRecordVersion = null }: { fileType?: string, ifRecordVersion?: string | null } = {}) => await first.commit(fileId, Buffer.from('saved'), {
      fileType,
      ifRevision: revision,
      ifRecordVersion,
      record: () => 'saved',
      keep: () => ({})
    }),
    text: async () => Buffer.concat(await (await second.read(fileId))!.body.toArray()).toString(),
    names: async () => (await readdir(directory)).filter(name => !name.startsWith('.')).sort()
  }
}

for (const fileType of ['txt', 'docx']) {
  t.test(`a process that ends between the record and the file, ${fileType}: whoever reads the document finishes it`, async t => {
    const { save, text, second, fileId, names } = await startShared(t)
    const isPublishing = (_path: string, to: unknown) => String(to).endsWith(`${fileId}.${fileType}`)
    // The call is made no more, and neither is what the process would do after it.
    const ended = new Promise<void>(resolve => {
      hook(t, {
        name: fileType === 'txt' ? 'rename' : 'link',
        isMeant: isPublishing,
        async instead () {
          resolve()
          return await new Promise(() => {})
        }
      })
    })
    save({ fileType }).catch(() => {})
    await ended
    t.equal(await text(), 'saved')
    t.strictSame(await names(), [`${fileId}.${fileType}`])
    t.match((await second.snapshot(fileId)).record, { value: 'saved' })
    t.match(await second.versions.list(fileId), [{ version: 1, fileType: 'txt', size: 3 }])
  })
}

t.test('a reader that is held while it finishes a save finds it finished by others, and takes nothing back', async t => {
  const { save, second, fileId, names } = await startShared(t)
  const held = deferred()
  const goOn = deferred()
  hook(t, {
    name: 'link',
    isMeant: (_path, to) => String(to).endsWith(`${fileId}.docx`),
    async instead (call) {
      held.resolve()
      await goOn.promise
      return await call()
    }
  })
  const saving = save({ fileType: 'docx' })
  await held.promise
  t.match((await second.snapshot(fileId)).record, { value: 'saved' }, 'another reader has finished it')
  goOn.resolve()
  t.ok(await saving)
  t.match((await second.snapshot(fileId)).record, { value: 'saved' })
  t.strictSame(await names(), [`${fileId}.docx`])
})

t.test('a reader between the record and the file, while another instance saves, sees no change from outside', async t => {
  const { save, second, fileId, path } = await startShared(t)
  await second.state.set(fileId, 'first', null)
  const { record, info } = await second.snapshot(fileId)
  hook(t, {
    name: 'lstat',
    isMeant: called => called === path,
    async instead (call) {
      await save({ ifRecordVersion: record!.version })
      return await call()
    }
  })
  const found = await second.snapshot(fileId)
  t.not(found.info?.revision, info!.revision)
  t.equal(found.record?.value, 'saved', 'the record is the one of this content')
})

for (const isDone of [false, true]) {
  t.test(`a rename that fails${isDone ? ' although it was carried out' : ''}: the save is ${isDone ? 'stored' : 'refused, and the next one stored'}`, async t => {
    const { save, text } = await startShared(t)
    hook(t, {
      name: 'rename',
      isMeant: (_path, to) => String(to).endsWith('.txt'),
      async instead (call) {
        if (isDone) await call()
        throw ioError()
      }
    })
    if (isDone) t.ok(await save())
    else {
      await t.rejects(save(), { code: 'EIO' })
      t.equal(await text(), 'old')
      t.ok(await save())
    }
    t.equal(await text(), 'saved')
  })
}

t.test('another program replaces the file between the record and the rename: its file stays, and the save is decided again', async t => {
  const { save, text, second, fileId, path } = await startShared(t)
  let isReplaced = false
  hook(t, {
    name: 'link',
    isMeant: (_path, to) => /[\\/]2$/.test(String(to)),
    async instead (call) {
      await call()
      await writeFile(path, 'of another program')
      isReplaced = true
    }
  })
  t.equal(await save(), null)
  t.ok(isReplaced)
  t.equal(await text(), 'of another program')
  t.equal((await second.snapshot(fileId)).record, null, 'the save is not noted')
})

t.test('a format whose file name another document has is refused, and both stay', async t => {
  const { save, text, path, fileId, names } = await startShared(t)
  await writeFile(path.replace(/txt$/, 'zzz'), 'another')
  await t.rejects(save({ fileType: 'zzz' }), { code: 'FST_EDITOR_NAME_TAKEN' })
  t.equal(await text(), 'old')
  t.ok((await names()).includes(`${fileId}.zzz`))
})

t.test('another instance changes the format first: the slower one is told that the document has changed, not that the name is taken', async t => {
  const { save, second, fileId, path } = await startShared(t)
  const renamed = path.replace(/txt$/, 'docx')
  hook(t, {
    name: 'lstat',
    isMeant: called => called === renamed,
    async instead (call) {
      await second.replace(fileId, Buffer.from('faster'), { fileType: 'docx' })
      return await call()
    }
  })
  t.equal(await save({ fileType: 'docx' }), null)
  t.match(await second.stat(fileId), { fileType: 'docx', size: 'faster'.length })
})
