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
    const shown = step.replace(/~[0-9a-f-]{36}/, '<temp>').replace(/\b\w+-[0-9a-f]{32}/, '<blob>').replace(/[0-9a-f]{32}/, '<folder>').replace(/\.kept/, '')
    if (running > 0) steps.at(-1)!.push(shown)
    else steps.push([shown])
    if (isWriting) running++
  }
  if (running > 0) throw new Error(`${steps.at(-1)!.join(' + ')} had not ended`)
  return steps.map(step => step.join(' + '))
}

t.test('the content and the record are on the disk before the record is named, its name before the rename, and that before replace resolves', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('replace', directory, root), directory), [
    'write', 'fsync', 'rename <blob>', // the content
    'write', 'fsync', // the record
    'link', 'fsync', // its name, and that of the content
    'unlink <temp>',
    'rename a.docx', 'open directory', 'fsync'
  ])
})

t.test('a change of format takes a free name, and removes the old file only once the new one is on the disk', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('replace-format', directory, root), directory), [
    'write', 'fsync', 'rename <blob>', // the content
    'write', 'fsync', // the record
    'link', 'fsync', // its name, and that of the content
    'unlink <temp>',
    'link', 'open directory', 'fsync', 'rename <temp>.docx.taken', 'unlink <temp>.docx.taken', 'unlink <blob>'
  ])
})

t.test('a save with a version flushes content, record and two directories, and nothing else', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('save', directory, root), directory), [
    'write', 'fsync', 'rename <blob>', // the content
    'link', // the version
    'write', 'fsync', // the record
    'link', 'fsync', // its name, and that of the content
    'unlink <temp>',
    'rename a.docx', 'open directory', 'fsync'
  ])
})

t.test('a new file is on the disk under its name before create resolves', async t => {
  const root = t.testdir({ uploads: {} })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('create', directory, root), directory), [
    'write', 'fsync', 'rename <blob>', // the content
    'write', 'fsync', // the record
    'link', 'fsync', // its name, and that of the content
    'unlink <temp>',
    'link', 'open directory', 'fsync', 'unlink <blob>'
  ])
})

t.test('a version is on the disk before the record names it, and the record before keep resolves', async t => {
  const root = t.testdir({ uploads: { 'a.docx': 'old' } })
  const directory = join(root, 'uploads')
  t.same(stepsOf(await trace('keep', directory, root), directory), [
    'write', 'fsync', 'rename <blob>', // the changes
    'link', // the content
    'write', 'fsync', // the record
    'link', 'fsync', // its name, and that of the content
    'unlink <temp>'
  ])
})
