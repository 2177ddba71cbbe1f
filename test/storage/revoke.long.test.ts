import { fork } from 'node:child_process'
import { once } from 'node:events'
import { lstat, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { revisionOf } from '../../lib/storage/file-lookup.js'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { namesIn, textsIn } from '../kit/storage.js'

const SIBLINGS = ['a.rtf', 'a.zzz']

/**
 * The directory and the ticket that a process leaves which is killed while it changes the format of `a.docx` to odt.
 */
async function killedAt (t: Test, call: string) {
  const directory = t.testdir(Object.fromEntries(['a.docx', ...SIBLINGS].map(name => [name, name])))
  for (const name of SIBLINGS) await utimes(join(directory, name), 1, 1)
  const child = fork(join(import.meta.dirname, 'killed-replace.ts'), [directory, call])
  const [[ticket], [, signal]] = await Promise.all([once(child, 'message'), once(child, 'exit')])
  t.equal(signal, 'SIGKILL')
  return { directory, ticket: ticket as string, storage: fileStorage({ directory }) }
}

t.test('a publication killed before the new format got its name is undone without trace', async t => {
  const { directory, ticket, storage } = await killedAt(t, 'link')
  for (let round = 0; round < 2; round++) {
    await storage.revoke('a', ticket)
    t.strictSame(await textsIn(directory), { 'a.docx': 'a.docx', 'a.rtf': 'a.rtf', 'a.zzz': 'a.zzz' })
  }
})

for (const call of ['unlink', 'rename']) {
  t.test(`of a publication killed after the new format got its name, before ${call}, only the old file is removed`, async t => {
    const { directory, ticket, storage } = await killedAt(t, call)
    t.ok((await namesIn(directory)).includes('a.docx'), 'both are there')
    t.equal((await storage.stat('a'))?.extension, 'odt', 'the new one counts')
    for (let round = 0; round < 2; round++) {
      await storage.revoke('a', ticket)
      t.strictSame(await textsIn(directory), { 'a.odt': 'new', 'a.rtf': 'a.rtf', 'a.zzz': 'a.zzz' })
    }
    t.equal((await storage.replace('a', Buffer.from('back'), { extension: 'docx' }))?.extension, 'docx', 'and its name is free')
  })

  t.test(`an old file changed since its process was killed, before ${call}, stays`, async t => {
    const { directory, ticket, storage } = await killedAt(t, call)
    await writeFile(join(directory, 'a.docx'), 'changed')
    await storage.revoke('a', ticket)
    t.strictSame(await textsIn(directory), { 'a.docx': 'changed', 'a.odt': 'new', 'a.rtf': 'a.rtf', 'a.zzz': 'a.zzz' })
  })

  t.test(`an old file stays if the new one of a process killed before ${call} no longer exists`, async t => {
    const { directory, ticket, storage } = await killedAt(t, call)
    await writeFile(join(directory, 'a.odt'), 'of somebody else')
    await storage.revoke('a', ticket)
    t.strictSame(await textsIn(directory), { 'a.docx': 'a.docx', 'a.odt': 'of somebody else', 'a.rtf': 'a.rtf', 'a.zzz': 'a.zzz' })
  })
}

t.test('a process whose publication was revoked by another process gets an error, and its staged content is never published', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const [holder, other] = [fileStorage({ directory }), fileStorage({ directory })]
  for (const extension of ['docx', 'odt']) {
    const staged = await holder.stage(
      'a',
      (async function * () {
        yield Buffer.from('new')
      })()
    )
    await t.rejects(
      holder.replace('a', staged, {
        extension,
        beforePublish: async (_info, ticket) => {
          await other.revoke('a', ticket!)
        }
      }),
      { code: 'FST_EDITOR_REVOKED' }
    )
    await t.rejects(
      holder.replace('a', staged, { extension }),
      { code: 'FST_EDITOR_REVOKED' },
      'nor is it published later'
    )
    await t.rejects(holder.create('docx', staged), { code: 'FST_EDITOR_REVOKED' })
    await staged.discard()
    t.strictSame(await textsIn(directory), { 'a.docx': 'old' })
  }
})

t.test('a ticket that names no files, or files of others, removes nothing', async t => {
  const root = t.testdir({ 'b.docx': 'outside', uploads: { 'a.docx': 'a', 'b.docx': 'b', 'b.odt': 'b' } })
  const directory = join(root, 'uploads')
  const storage = fileStorage({ directory })
  const [docx, odt, outside] = await Promise.all(['b.docx', 'b.odt', '../b.docx'].map(async name => {
    return { name, revision: revisionOf(await lstat(join(directory, name), { bigint: true })) }
  }))
  let temp = ''
  await storage.replace('a', Buffer.from('a'), { beforePublish: async (_info, ticket) => { temp = JSON.parse(ticket!).temp } })
  const before = [await textsIn(directory), await readFile(join(root, 'b.docx'), 'utf8')]
  for (const superseded of [docx, outside, { name: 1 }, { name: '..' }, 'a.docx', null]) {
    await storage.revoke('a', JSON.stringify({ temp, published: odt, superseded }))
    await storage.revoke('a', JSON.stringify({ temp, published: superseded, superseded: docx }))
  }
  t.strictSame([await textsIn(directory), await readFile(join(root, 'b.docx'), 'utf8')], before)
})
