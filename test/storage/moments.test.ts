import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import type { ReplaceOptions } from '../../types/storage.js'
import { contentsOf, hook, ioError, namesIn, textsIn } from '../kit/storage.js'

/** A document, and what becomes of a replace of it in which something happens at some moment. */
function scene (t: Test) {
  const root = t.testdir({ uploads: { 'a.docx': 'old' }, theirs: 'newer, of somebody else' })
  const directory = join(root, 'uploads')
  const path = join(directory, 'a.docx')
  const storage = fileStorage({ directory })
  let ticket = ''
  return {
    directory,
    path,
    ready: async () => await storage.ready(),
    /** Another process. */
    other: fileStorage({ directory }),
    ticket: () => ticket,
    theirs: async () => { await rename(join(root, 'theirs'), path) },
    async replaced (options: ReplaceOptions = {}) {
      await storage.ready()
      const { revision } = (await storage.stat('a'))!
      return await storage.replace('a', Buffer.from('new'), { ifRevision: revision, ...options, beforePublish: async (_info, given) => { ticket = given! } })
    }
  }
}

t.test('a rename that failed although it was carried out is undone, and the old version is unchanged', async t => {
  const { path, directory, replaced, other } = scene(t)
  const before = [await contentsOf(directory), await other.stat('a')]
  hook(t, {
    name: 'rename',
    isMeant: (_from, to) => to === path,
    async instead (call) {
      await call()
      throw ioError()
    }
  })
  await t.rejects(replaced(), { code: 'EIO' })
  t.strictSame([await contentsOf(directory), await other.stat('a')], before)
})

t.test('a failed rename is not undone over a file that somebody else has put there since', async t => {
  const { path, directory, replaced, theirs } = scene(t)
  hook(t, {
    name: 'rename',
    isMeant: (_from, to) => to === path,
    async instead (call) {
      await call()
      await theirs()
      throw ioError()
    }
  })
  await t.rejects(replaced(), { code: 'EIO' })
  t.strictSame(await textsIn(directory), { 'a.docx': 'newer, of somebody else' })
})

t.test('a rename that could not be made durable is not undone over a file that somebody else has put there since', async t => {
  for (const options of [{}, { extension: 'odt' }]) {
    const { directory, replaced, ready, theirs } = scene(t)
    await ready()
    hook(t, {
      name: 'open',
      isMeant: path => path === directory,
      async instead () {
        await theirs()
        throw ioError()
      }
    })
    await t.rejects(replaced(options), { code: 'EIO' })
    t.strictSame(await textsIn(directory), { 'a.docx': 'newer, of somebody else' })
  }
})

t.test('a process that was wrongly considered dead does not undo what was counted as stored', async t => {
  const { path, directory, replaced, other, ticket } = scene(t)
  hook(t, {
    name: 'rename',
    isMeant: (_from, to) => to === path,
    async instead (call) {
      await call()
      await other.revoke('a', ticket())
      throw ioError()
    }
  })
  await t.rejects(replaced(), { code: 'EIO' })
  t.strictSame(await textsIn(directory), { 'a.docx': 'new' })
})

t.test('a file removed or replaced right before the last check is left alone', async t => {
  for (const hasLinks of [true, false]) {
    for (const isRemoved of [true, false]) {
      const { path, directory, replaced, theirs } = scene(t)
      hook(t, {
        name: 'link',
        isMeant: from => from === path,
        async instead (call) {
          await (isRemoved ? rm(path) : theirs())
          if (!hasLinks) throw Object.assign(new Error('EPERM: no links here'), { code: 'EPERM' })
          return await call()
        }
      })
      t.equal(await replaced(), null)
      t.strictSame(await textsIn(directory), isRemoved ? {} : { 'a.docx': 'newer, of somebody else' })
    }
  }
})

for (const extension of ['odt', 'zzz']) {
  t.test(`a process frozen between giving the new name, with .${extension}, and removing the old one removes nothing that came later`, async t => {
    const { path, directory, replaced, other, ticket } = scene(t)
    hook(t, {
      name: 'rename',
      isMeant: from => from === path,
      async instead (call) {
        await other.revoke('a', ticket())
        t.strictSame(await namesIn(directory), [`a.${extension}`], 'breaking the lock removes the old one')
        await writeFile(path, 'newer, in the old format')
        await rm(join(directory, `a.${extension}`))
        return await call()
      }
    })
    await other.ready()
    await replaced({ extension })
    t.strictSame(await textsIn(directory), { 'a.docx': 'newer, in the old format' })
  })
}

t.test('a link that was created although the call reports EEXIST counts as created', async t => {
  const { directory, replaced } = scene(t)
  hook(t, {
    name: 'link',
    isMeant: (_from, to) => String(to).endsWith('a.odt'),
    async instead (call) {
      await call()
      return await call()
    }
  })
  t.equal((await replaced({ extension: 'odt' }))?.extension, 'odt')
  t.strictSame(await namesIn(directory), ['a.odt'])
})

t.test('a record that was written although the call reports EEXIST counts as written', async t => {
  const { state } = fileStorage({ directory: t.testdir() })
  const first = await state.set('a', 'one', null)
  hook(t, {
    name: 'link',
    isMeant: (_from, to) => String(to).endsWith('/2'),
    async instead (call) {
      await call()
      return await call()
    }
  })
  const second = await state.set('a', 'two', first)
  t.match(second, / 2$/)
  t.strictSame(await state.get('a'), { value: 'two', version: second })
  t.equal(await state.set('a', 'late', first), null)
})

t.test('a name that somebody else has taken is left alone where there are no links', async t => {
  const { directory, replaced } = scene(t)
  hook(t, {
    name: 'link',
    isMeant: (_from, to) => String(to).endsWith('a.odt'),
    async instead () {
      await writeFile(join(directory, 'a.odt'), 'theirs')
      throw Object.assign(new Error('EPERM: no links here'), { code: 'EPERM' })
    }
  })
  await t.rejects(replaced({ extension: 'odt' }), { code: 'FST_EDITOR_NAME_TAKEN' })
  t.match(await textsIn(directory), { 'a.docx': 'old', 'a.odt': 'theirs' })
})
