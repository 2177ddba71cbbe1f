import { execFileSync } from 'node:child_process'
import fs, { appendFile, chmod, cp, lstat, readdir, rename, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type FileStorage, fileStorage } from '../../lib/index.js'
import type { StoredDocument, StoredVersion } from '../../types/storage.js'
import { hook, OWN_FOLDER } from '../kit/storage.js'

/** A document of two kept versions, and instances of its storage. */
async function scene (t: Test) {
  const root = t.testdir({ uploads: { 'a.docx': 'first' } })
  const directory = join(root, 'uploads')
  const storage = fileStorage({ directory })
  const keep = async (instance: FileStorage = storage, changes?: string): Promise<StoredVersion | null> => {
    const { revision } = (await instance.stat('a'))!
    return await instance.versions.keep('a', revision, changes === undefined ? {} : { changes: Buffer.from(changes) })
  }
  await keep(storage, 'changes of the first')
  await storage.replace('a', Buffer.from('second'))
  await keep()
  return { root, directory, path: join(directory, 'a.docx'), storage, other: fileStorage({ directory }), keep }
}

/** Contents by number, `null` where one cannot be read. */
async function contentsOf ({ versions }: FileStorage): Promise<Record<number, string | null>> {
  const contents: Record<number, string | null> = {}
  for (const { version } of await versions.list('a')) {
    const found = await versions.read('a', version)
    contents[version] = found && Buffer.concat(await found.body.toArray()).toString()
  }
  return contents
}

/** The files beside the documents. */
async function ownFiles (directory: string) {
  const entries = await readdir(join(directory, OWN_FOLDER), { recursive: true, withFileTypes: true })
  return await Promise.all(entries.filter(entry => entry.isFile()).map(async ({ parentPath, name }) => await lstat(join(parentPath, name))))
}

/** Every change of a record is the link of a new generation, whose name is a number. */
const isGeneration = (_from: string, to: unknown) => /[\\/]\d+$/.test(String(to))

/** Until the end of the test, this process can make no links. */
function withoutLinks (t: Test): void {
  const { link } = fs
  t.teardown(() => {
    fs.link = link
    syncBuiltinESMExports()
  })
  fs.link = async () => { throw Object.assign(new Error('EPERM: no links here'), { code: 'EPERM' }) }
  syncBuiltinESMExports()
}

t.test('a version takes no space beside the document until it is replaced', async t => {
  const { directory, path, keep } = await scene(t)
  await keep()
  const { ino, nlink } = await lstat(path)
  t.equal(nlink, 2)
  t.ok((await ownFiles(directory)).some(stats => stats.ino === ino))
})

t.test('changes can be read by nobody who may not read the document', async t => {
  const { directory, path, keep, storage } = await scene(t)
  await chmod(path, 0o600)
  await keep(storage, 'secret')
  const secret = (await ownFiles(directory)).find(({ size }) => size === 'secret'.length && size !== 'second'.length + 1)
  t.equal(secret!.mode & 0o777, 0o600)
})

t.test('on a file system without links, records are made and contents copied', async t => {
  withoutLinks(t)
  const { path, storage, other, keep } = await scene(t)
  await keep(storage, 'changes')
  await storage.replace('a', Buffer.from('third'))
  t.strictSame(await contentsOf(other), { 1: 'first', 2: 'second' })
  await appendFile(path, ', changed in place')
  await keep()
  await appendFile(path, ' again')
  t.strictSame(await contentsOf(other), { 1: 'first', 2: 'second', 3: 'third, changed in place' })
  const writes = await Promise.all([storage, other].map(async ({ state }) => await state.set('a', 'first', null)))
  t.equal(writes.filter(version => version !== null).length, 1, 'one of two instances makes the next record')
  for (let count = 0; count < 20; count++) await other.replace('a', Buffer.from(`content ${count}`), { fileType: count % 2 ? 'odt' : 'docx' })
  t.match(await storage.stat('a'), { fileType: 'odt', size: 'content 19'.length })
})

t.test('a content that another program changed in place is not shown as the one that was kept', async t => {
  const { path, storage, keep } = await scene(t)
  await appendFile(path, ', changed in place')
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: null })
  t.match(await keep(), { version: 3, size: 'second, changed in place'.length })
  await storage.replace('a', Buffer.from('third'))
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: null, 3: 'second, changed in place' })
})

t.test('versions survive a move of the directory with times as exact as the copying program keeps them, and count on', async t => {
  const { root, directory, storage, keep } = await scene(t)
  await storage.replace('a', Buffer.from('third'))
  for (const [name, unit] of [['seconds', 1_000_000_000n], ['milliseconds', 1_000_000n], ['microseconds', 1000n], ['lost', undefined]] as const) {
    const copy = join(root, name)
    await cp(directory, copy, { recursive: true })
    for (const from of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!from.isFile()) continue
      const path = join(from.parentPath, from.name)
      const { mtimeNs } = await lstat(path, { bigint: true })
      const time = unit === undefined ? 1_000_000_000n : mtimeNs / unit * unit
      // utimes() takes a double, which is not exact enough
      const seconds = `@${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`
      execFileSync('touch', ['-m', '-d', seconds, path.replace(directory, copy)])
    }
    const moved = fileStorage({ directory: copy })
    t.strictSame(await contentsOf(moved), unit === undefined ? { 1: null, 2: null } : { 1: 'first', 2: 'second' }, name)
    t.match(await keep(moved), { version: 3 })
  }
})

t.test('a document that is replaced, by anything, while it is being kept is not kept', async t => {
  const { root, directory, path, storage, keep } = await scene(t)
  await writeFile(join(root, 'theirs'), 'theirs')
  const changes: ReadonlyArray<() => Promise<unknown>> = [
    async () => await rename(join(root, 'theirs'), path),
    async () => await appendFile(path, ', changed in place'),
    async () => {
      await fs.unlink(path)
      await fs.symlink(join(root, 'uploads'), path)
    },
    async () => {
      await fs.unlink(path)
      await fs.writeFile(join(directory, 'a.docx'), 'anew')
    },
    async () => await fs.unlink(path)
  ]
  for (const makeChange of changes) {
    await writeFile(join(root, 'new'), 'not kept yet')
    await rename(join(root, 'new'), path)
    hook(t, {
      name: 'link',
      isMeant: from => from === path,
      async instead (call) {
        await makeChange()
        return await call()
      }
    })
    t.equal(await keep(storage, 'changes'), null)
  }
  await writeFile(path, 'again')
  t.strictSame(await contentsOf(storage), { 1: 'first', 2: 'second' })
})

t.test('a process that was held before it could write the record neither loses versions of others nor names what they removed', async t => {
  const { storage, other, keep } = await scene(t)
  await storage.replace('a', Buffer.from('third'))
  let kept: StoredVersion | null | undefined
  hook(t, {
    name: 'link',
    isMeant: isGeneration,
    async instead (call) {
      kept = await keep(other, 'changes of the other')
      await other.versions.remove('a', [2])
      // More than the superseded generations that stay.
      for (let count = 0; count < 10; count++) await other.replace('a', Buffer.from('fourth'))
      await keep(other)
      return await call()
    }
  })
  t.equal(await keep(storage, 'changes of the one that was held'), null)
  t.match(kept, { version: 3 })
  t.strictSame(await contentsOf(storage), { 1: 'first', 3: 'third', 4: 'fourth' })
})

t.test('a reader that is held where it tidies up does not remove what another instance keeps as a version', async t => {
  const { storage, other, path } = await scene(t)
  hook(t, {
    name: 'unlink',
    isMeant: from => String(from).includes(OWN_FOLDER),
    async instead (call) {
      await other.versions.keep('a', (await other.stat('a'))!.revision)
      await other.replace('a', Buffer.from('fourth'))
      return await call()
    }
  })
  await storage.replace('a', Buffer.from('third'), { fileType: 'odt' })
  await storage.stat('a')
  t.match(await contentsOf(other), { 3: 'third' })
  t.notOk((await readdir(join(path, '..'))).includes('a.docx'))
})

t.test('a document that is removed before or after the record of a keep leaves no versions', async t => {
  const { directory, storage, other, keep } = await scene(t)
  for (const isFirst of [false, true]) {
    for (const isBefore of [true, false]) {
      await writeFile(join(directory, 'a.docx'), 'anew')
      if (!isFirst) await keep()
      await appendFile(join(directory, 'a.docx'), ', later')
      hook(t, {
        name: 'link',
        isMeant: isGeneration,
        async instead (call) {
          if (isBefore) await other.remove('a')
          const result = await call()
          if (!isBefore) await other.remove('a')
          return result
        }
      })
      await keep()
      await writeFile(join(directory, 'a.docx'), 'put back')
      t.strictSame(await storage.versions.list('a'), [])
      await storage.remove('a')
    }
  }
  await storage.sweep({ olderThan: -60_000 })
  t.strictSame(await ownFiles(directory), [])
})

/** Replaces the document as a save does, which keeps what it replaces and removes what is too much. */
async function save (instance: FileStorage, content: string): Promise<StoredDocument> {
  for (;;) {
    const { info, record } = await instance.snapshot('a')
    const committed = await instance.commit('a', Buffer.from(content), {
      ifRevision: info!.revision,
      ifRecordVersion: record?.version ?? null,
      record: () => content,
      keep: () => ({ details: '' }),
      prune: { keep: 15, maxBytes: Infinity, keptSince: new Date(0) }
    })
    if (committed) return committed.info
  }
}

t.test('instances that keep, prune and remove at the same time leave every listed version whole', async t => {
  const { storage, other, directory } = await scene(t)
  const instances = [storage, other, fileStorage({ directory })]
  const contents = new Map<string, string>()
  let serial = 0
  await Promise.all(instances.map(async (instance, index) => {
    for (let round = 0; round < 20; round++) {
      const content = `content ${++serial}`
      const isPruned = round % 2 === index % 2
      const { revision } = isPruned ? await save(instance, content) : (await instance.replace('a', Buffer.from(content)))!
      contents.set(revision, content)
      await instance.versions.keep('a', revision, {
        details: content.repeat(round % 3 * 100),
        ...round % 4 === 0 && { changes: Buffer.from(content) }
      })
      if (!isPruned && round % 10 === index) {
        await instance.versions.remove('a', (await instance.versions.list('a')).slice(3, 5).map(({ version }) => version))
      }
    }
  }))
  await storage.sweep({ olderThan: -60_000 })
  const listed = await storage.versions.list('a')
  t.ok(listed.length > 10, String(listed.length))
  for (const { version, revision, changesSize, details } of listed) {
    const content = contents.get(revision) ?? (version === 1 ? 'first' : 'second')
    const found = await other.versions.read('a', version)
    t.equal(found && Buffer.concat(await found.body.toArray()).toString(), content)
    if (changesSize !== null) t.ok(await other.versions.read('a', version, 'changes'))
    if (version > 2) t.equal(String(details).slice(0, content.length), String(details) && content)
  }
})
