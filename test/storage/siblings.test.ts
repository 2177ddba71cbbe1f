import { writeFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type FileStorage, fileStorage } from '../../lib/index.js'
import { textsIn } from '../kit/storage.js'

const NEW = 'saved'
const TAKEN = { code: 'FST_EDITOR_NAME_TAKEN', statusCode: 409 }
const FAR_AHEAD = 4_000_000_000

/** Files whose content is their name, the oldest first. */
async function directoryOf (t: Test, names: readonly string[]): Promise<string> {
  const directory = t.testdir(Object.fromEntries(names.map(name => [name, name])))
  for (const [index, name] of names.entries()) await utimes(join(directory, name), 1_600_000_000 + index, 1_600_000_000 + index)
  return directory
}

/** Files of one fileId, the oldest first; which of them counts; the format that is saved. */
const refused: ReadonlyArray<readonly [names: readonly string[], counts: string, fileType: string]> = [
  [['a.docx', 'a.doc'], 'a.doc', 'docx'],
  [['a.docx', 'a.doc'], 'a.doc', 'DOCX'],
  [['a.zzz', 'a.docx'], 'a.docx', 'zzz'],
  [['a.odt', 'a.docx'], 'a.docx', 'zzz'], // would not count beside the odt
  [['a.ODT', 'a.DOCX'], 'a.DOCX', 'zzz'],
  [['a.ODT', 'a.docx'], 'a.docx', 'zzz']
]

for (const [names, counts, fileType] of refused) {
  t.test(`${counts} among ${names} is not saved as ${fileType}: the other one is a separate document`, async t => {
    const directory = await directoryOf(t, names)
    const storage = fileStorage({ directory })
    const info = await storage.stat('a')
    t.equal(info?.fileType, counts.slice(2).toLowerCase())
    await t.rejects(storage.replace('a', Buffer.from(NEW), { fileType }), TAKEN)
    t.strictSame(await textsIn(directory), Object.fromEntries(names.map(name => [name, name])))
    t.strictSame(await storage.stat('a'), info)
  })
}

const stored: ReadonlyArray<readonly [names: readonly string[], counts: string, fileType: string, becomes: string]> = [
  [['a.odt', 'a.rtf', 'a.docx'], 'a.docx', 'pdf', 'a.pdf'],
  [['a.odt', 'a.DOC', 'a.zzz', 'a.docx'], 'a.docx', 'pdf', 'a.pdf'],
  [['a.docx', 'a.zzz'], 'a.docx', 'docx', 'a.docx'],
  [['a.yyy', 'a.zzz'], 'a.zzz', 'xxx', 'a.xxx'],
  [['a.yyy', 'a.zzz'], 'a.zzz', 'docx', 'a.docx'],
  [['a.yyy', 'a.DOC', 'a.DOCX'], 'a.DOCX', 'odt', 'a.odt'],
  [['a.yyy', 'a.DOC', 'a.DOCX'], 'a.DOCX', 'docx', 'a.DOCX']
]

for (const [names, counts, fileType, becomes] of stored) {
  t.test(`${counts} among ${names} becomes ${becomes} and no other file is touched`, async t => {
    const directory = await directoryOf(t, names)
    const storage = fileStorage({ directory })
    const replaced = await storage.replace('a', Buffer.from(NEW), { fileType })
    t.strictSame(await storage.stat('a'), replaced)
    t.equal(replaced?.fileType, fileType)
    const others = names.filter(name => name !== counts)
    t.strictSame(await textsIn(directory), { ...Object.fromEntries(others.map(name => [name, name])), [becomes]: NEW })
  })
}

t.test('a format in which a file dated in the future would be found instead is refused', async t => {
  const directory = await directoryOf(t, ['a.zzz', 'a.docx'])
  await utimes(join(directory, 'a.zzz'), FAR_AHEAD, FAR_AHEAD)
  const storage = fileStorage({ directory })
  const before = await storage.stat('a')
  await t.rejects(storage.replace('a', Buffer.from(NEW), { fileType: 'yyy' }), TAKEN)
  t.strictSame([await textsIn(directory), await storage.stat('a')], [{ 'a.zzz': 'a.zzz', 'a.docx': 'a.docx' }, before])
})

/** `meanwhile`: runs just before the save is published. */
async function save (storage: FileStorage, fileType: string, meanwhile: () => void) {
  const { info, record } = await storage.snapshot('a')
  return await storage.commit('a', Buffer.from(NEW), {
    fileType,
    ifRevision: info!.revision,
    ifRecordVersion: record?.version ?? null,
    record: meanwhile
  })
}

t.test('a file created by another program under the target name just before publication is kept', async t => {
  for (const fileType of ['odt', 'zzz']) {
    const directory = await directoryOf(t, ['a.docx'])
    const storage = fileStorage({ directory })
    await storage.state.set('a', 'which file it is', null)
    const saving = save(storage, fileType, () => writeFileSync(join(directory, `a.${fileType}`), 'theirs'))
    await t.rejects(saving, TAKEN)
    t.strictSame(await textsIn(directory), { 'a.docx': 'a.docx', [`a.${fileType}`]: 'theirs' })
  }
})

t.test('a file changed by another program just before publication in another format is kept next to it', async t => {
  const directory = await directoryOf(t, ['a.docx'])
  const saved = await save(fileStorage({ directory }), 'odt', () => writeFileSync(join(directory, 'a.docx'), 'theirs'))
  t.equal(saved, null)
  t.strictSame(await textsIn(directory), { 'a.docx': 'theirs' })
})

t.test('content staged for a name that is taken can become a separate document', async t => {
  const directory = await directoryOf(t, ['a.docx', 'a.doc'])
  const storage = fileStorage({ directory })
  const staged = await storage.stage('a', (async function * () { yield Buffer.from(NEW) })())
  await t.rejects(storage.replace('a', staged, { fileType: 'docx' }), TAKEN)
  const { fileId } = await storage.create('docx', staged)
  await staged.discard()
  t.strictSame(await textsIn(directory), { 'a.docx': 'a.docx', 'a.doc': 'a.doc', [`${fileId}.docx`]: NEW })
})
