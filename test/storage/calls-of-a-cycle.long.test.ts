import { execFile, execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { MARK } from './traced/trace.js'

/**
 * Those that name a file, list a folder, flush, or ask for or set attributes; not the reading, writing and closing of
 * an open file.
 */
const CALLS = '%file,getdents64,fsync,fdatasync,ftruncate,fstat,fchmod,fchown'

/** The names of the calls between each two marks that concern the directory. */
async function callsOfCycles (root: string, documents: readonly string[]): Promise<string[][]> {
  const [log, directory] = [join(root, 'calls.log'), join(root, 'uploads')]
  const script = join(import.meta.dirname, 'traced/cycle.ts')
  const options = ['--follow-forks', '--decode-fds=path', '--string-limit=500', `--trace=${CALLS}`, `--output=${log}`]
  await promisify(execFile)('strace', [...options, process.execPath, ...process.execArgv, script, directory, ...documents])
  const begun = (await readFile(log, 'utf8')).split('\n').filter(line => !line.includes(' resumed>'))
  const marks = begun.flatMap((line, index) => line.includes(MARK) ? [index] : [])
  t.equal(marks.length, 2 * documents.length, 'all cycles were observed')
  return documents.map((_document, index) => begun.slice(marks[2 * index], marks[2 * index + 1])
    .filter(line => line.includes(directory))
    .map(line => /^\d+ +(\w+)/.exec(line)![1]!))
}

function withoutStrace (): string | false {
  try {
    execFileSync('strace', ['true'], { stdio: 'ignore' })
    return false
  } catch {
    return 'This machine has no strace, or does not let it trace'
  }
}

t.test('page, status 1 and a save make few file-system calls, and flush what must survive', { skip: withoutStrace(), timeout: 300_000 }, async t => {
  const documents = { 'warm-up.txt': '', 'a.txt': 'old', 'b.txt': 'old' }
  const root = t.testdir({ uploads: documents })
  const [first, ...others] = await callsOfCycles(root, ['a', 'b', 'a', 'b'])
  const flushes = (calls: readonly string[]) => calls.filter(name => name === 'fsync').length
  t.ok(first!.includes('rename'), 'the save was stored')
  for (const calls of [first!, ...others]) t.ok(calls.length <= 60, `${calls.length} calls: ${calls.join(' ')}`)
  t.strictSame([first!, ...others].map(flushes), [5, 5, 4, 4], 'content, its name, the record and its name; and the name of its folder at first')
})
