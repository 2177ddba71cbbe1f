import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { trace } from './traced/trace.js'

async function callsAmong (files: number, root: string): Promise<Record<string, number>> {
  const directory = join(root, String(files))
  await mkdir(directory)
  for (let index = 0; index < files; index++) await writeFile(join(directory, `file-${index}.${index % 2 ? 'pdf' : 'unusual'}`), '')
  await writeFile(join(directory, 'a.docx'), 'a')
  await writeFile(join(directory, 'b.zzz'), 'b')

  const calls: Record<string, number> = {}
  for (const { name, phase } of await trace('look-up', directory, root)) {
    if (phase === 'begin') calls[name] = (calls[name] ?? 0) + 1
  }
  return calls
}

t.test('hits and misses make the same calls among many files as among few, and walk no unchanged directory', async t => {
  const root = t.testdir()
  const few = await callsAmong(1, root)
  t.ok(few.lstat, 'the calls are seen')
  t.same(Object.keys(few), ['lstat'], 'nothing but looking at single names')
  t.same(await callsAmong(1000, root), few)
})

t.test('what has just been saved among many files in capitals is found without a walk', async t => {
  const root = t.testdir({ uploads: {} })
  const directory = join(root, 'uploads')
  for (let index = 0; index < 1000; index++) await writeFile(join(directory, `FILE-${index}.DOCX`), '')
  const calls = (await trace('look-up-after-save', directory, root)).filter(({ phase }) => phase === 'begin').map(({ name }) => name)
  t.strictSame([...new Set(calls)], ['lstat'])
})

t.test('making a storage does nothing in the file system', async t => {
  const root = t.testdir()
  t.same(await trace('construct', join(root, 'uploads'), root), [])
})
