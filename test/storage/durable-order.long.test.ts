import { basename, join } from 'node:path'
import t from 'tap'
import { trace, type TracedCall } from './traced/trace.js'

const WRITING = ['write', 'fsync', 'link', 'rename', 'unlink']

/**
 * What was done, in order; each step had ended when the next began. What was done at the same time is one step:
 * `fsync + fsync`.
 */
function stepsOf (calls: readonly TracedCall[], directory: string): string[] {
  const steps: string[][] = []
  let running = 0
  for (const { name, path, phase } of calls) {
    const isWriting = WRITING.includes(name)
    if (phase === 'end') {
      if (isWriting) running--
      continue
    }
    const step = name === 'open' && path === directory ? 'open directory' : isWriting ? `${name} ${basename(path)}`.trim() : undefined
    if (!step) continue
    const shown = step.replace(/\.fastify-onlyoffice~\S*/, '<temp>').replace(/[0-9a-f-]{36}/, '<id>')
    if (running > 0) steps.at(-1)!.push(shown)
    else steps.push([shown])
    if (isWriting) running++
  }
  if (running > 0) throw new Error(`${steps.at(-1)!.join(' + ')} had not ended`)
  return steps.map(step => step.join(' + '))
}

t.test('replace flushes the content before the rename, and the rename before it resolves', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('replace', directory, root), directory), [
    'write', 'fsync', 'link', 'rename a.docx', 'open directory', 'fsync', 'unlink <temp>'
  ])
})

t.test('a change of format takes a free name, and removes the old file only once the new one is on the disk', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('replace-format', directory, root), directory), [
    'write', 'fsync', 'link', 'unlink <temp>', 'open directory', 'fsync', 'rename <temp>', 'unlink <temp>', 'open directory', 'fsync'
  ])
})

t.test('a save flushes its content, the directory, its record and the record\'s directory, and nothing else', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('save', directory, root), directory), [
    'write', 'fsync', // the content
    'write', 'link', 'unlink <temp>', // the lock
    'link', 'rename a.docx', 'open directory', 'fsync', 'unlink <temp>',
    'write', 'link', 'fsync + fsync', 'unlink <temp>', 'unlink 1' // the record and its name, whose oldest version goes
  ])
})

t.test('a new file is on the disk under its name before create resolves', async t => {
  const root = t.testdir({ uploads: {} })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('create', directory, root), directory), [
    'write', 'fsync', 'link', 'unlink <temp>', 'open directory', 'fsync'
  ])
})

t.test('a version is on the disk before the index refers to it, and the index before keep resolves', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('keep', directory, root), directory), [
    'write', 'fsync', // the changes
    'link', 'fsync', // the content
    'link', 'fsync', // the changes
    'fsync', // their names
    'write', 'link', 'fsync + fsync', 'unlink <temp>', 'unlink 1', // the index
    'unlink <temp>'
  ])
})
