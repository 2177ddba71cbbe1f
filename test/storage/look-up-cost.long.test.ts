import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { trace } from './traced/trace.js'

/** What the scripts themselves do. */
const OWN_CALLS = ['openSync', 'writeSync', 'closeSync', 'rmSync', 'unlinkSync']

type Script = 'look-up' | 'look-up-among-changes'

/** How often which call is made in a directory of so many files; the one with this number is named so. */
async function callsAmong (
  files: number,
  root: string,
  script: Script = 'look-up',
  nameOf = (index: number) => `file-${index}.${index % 2 ? 'pdf' : 'unusual'}`
): Promise<Record<string, number>> {
  const directory = await mkdtemp(join(root, 'uploads-'))
  for (let index = 0; index < files; index++) await writeFile(join(directory, nameOf(index)), '')
  if (script === 'look-up') {
    await writeFile(join(directory, 'a.docx'), 'a')
    await writeFile(join(directory, 'b.zzz'), 'b')
  }

  const calls: Record<string, number> = {}
  for (const { name, phase } of await trace(script, directory, root, { withSync: true })) {
    if (phase === 'begin' && !OWN_CALLS.includes(name)) calls[name] = (calls[name] ?? 0) + 1
  }
  return calls
}

t.test('hits and misses make as many calls among many files as among few, and list no unchanged directory', async t => {
  const root = t.testdir()
  const few = await callsAmong(2, root)
  t.ok(few.lstat, 'the calls were observed')
  t.same(Object.keys(few).sort(), ['lstat', 'lstatSync', 'statSync'], 'only look-ups of single names, and the directory\'s time')
  t.same(await callsAmong(1000, root), few)
})

t.test('so do misses while files are added and removed', async t => {
  const root = t.testdir()
  const few = await callsAmong(2, root, 'look-up-among-changes')
  t.ok(few.lstatSync, 'the calls were observed')
  t.same(Object.keys(few).sort(), ['lstatSync', 'statSync'], 'only look-ups of single names, and the directory\'s time')
  t.same(await callsAmong(1000, root, 'look-up-among-changes'), few)
})

t.test('a miss tries few extensions, however many there are', async t => {
  const root = t.testdir()
  const many = await callsAmong(100, root, 'look-up-among-changes', index => `file-${index}.x${index}`)
  t.same(await callsAmong(400, root, 'look-up-among-changes', index => `file-${index}.x${index}`), many)
})

t.test('extensions of hidden files are not learned', async t => {
  const root = t.testdir()
  const none = await callsAmong(0, root, 'look-up-among-changes')
  t.same(await callsAmong(100, root, 'look-up-among-changes', index => `.file.docx.x${index}`), none)
})

t.test('a file just saved among many files with upper-case extensions is found without listing the directory', async t => {
  const root = t.testdir({ uploads: {} })
  const directory = join(root, 'uploads')
  for (let index = 0; index < 1000; index++) await writeFile(join(directory, `FILE-${index}.DOCX`), '')
  const calls = (await trace('look-up-after-save', directory, root, { withSync: true })).filter(({ phase }) => phase === 'begin').map(({ name }) => name)
  t.ok(calls.includes('statSync'), 'the calls were observed')
  t.strictSame(
    calls.filter(name => !['lstat', 'lstatSync', 'statSync'].includes(name)),
    [],
    'only look-ups of single names: on a slow machine some are known already'
  )
})

t.test('creating a storage does not touch the file system', async t => {
  const root = t.testdir()
  t.same(await trace('construct', join(root, 'uploads'), root), [])
})

/**
 * Far more than the extensions that one look-up of a document tries: these, tried once more, must not pass for a look
 * for each version.
 */
const MANY_VERSIONS = 300

t.test('versions are listed with one look-up, one listing of a folder, one file and one more for 256 versions', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  const storage = fileStorage({ directory })
  let kept = 0
  const callsFor = async (versions: number) => {
    for (; kept < versions; kept++) {
      await storage.versions.keep('a', (await storage.stat('a'))!.revision, { changes: Buffer.from('changes') })
      await storage.replace('a', Buffer.from('new'))
    }
    const calls = (await trace('list-versions', directory, root, { withSync: true })).filter(({ phase }) =>
      phase === 'begin'
    ).map(({ name }) => name)
    return {
      listings: calls.filter(name => name === 'scandir').length,
      opened: calls.filter(name => name === 'open').length,
      looks: calls.filter(name => name.startsWith('lstat')).length
    }
  }
  const one = await callsFor(1)
  const many = await callsFor(MANY_VERSIONS)
  t.match(one, { listings: 1, opened: 1 })
  t.match(many, { listings: 1, opened: 1 + 2 })
  t.ok(one.looks > 0)
  t.ok(many.looks < one.looks + MANY_VERSIONS / 2, 'not one look for each version: on a slow machine the background makes another look-up')
})
