import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { namesIn } from '../kit/storage.js'

const isTemp = (name: string) => name.includes('~')

t.test('half-written files of a killed process are removed at the next start, and no look-up ever finds them', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'traced', 'endless-replace.ts'), directory])
  await once(child.stdout, 'data')
  const [temp] = (await readdir(directory)).filter(isTemp)
  t.ok(temp, 'it is at work')

  const beside = fileStorage({ directory })
  await beside.ready()
  t.same((await readdir(directory)).filter(isTemp), [temp], 'a process that is alive keeps its own')
  t.equal(await beside.stat(temp!), null)

  child.kill('SIGKILL')
  await once(child, 'exit')
  await fileStorage({ directory }).ready()
  t.same(await namesIn(directory), ['a.docx'])
  t.equal((await beside.stat('a'))?.size, 3, 'the old version')
})

t.test('a start during a write of the same process leaves the write alone', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const content = new Readable({ read () {} })
  const storage = fileStorage({ directory })
  await storage.ready()
  const writing = storage.replace('a', content)
  content.push('new')
  while (!(await readdir(directory)).some(isTemp)) await new Promise(resolve => setImmediate(resolve))
  await fileStorage({ directory }).ready()
  content.push(null)
  t.equal((await writing)?.size, 3)
})

t.test('temp files of an earlier process with our process id are removed, those of other machines and unrelated files are not', {
  skip: process.platform !== 'linux' && 'the start of a process is known on Linux only'
}, async t => {
  const directory = t.testdir()
  const content = new Readable({ read () {} })
  const storage = fileStorage({ directory })
  await storage.ready()
  const writing = storage.create('docx', content)
  let ours: string | undefined
  while (!ours) ours = (await readdir(directory)).find(isTemp)
  const [prefix, host, owner, id] = ours.split('~') as [string, string, string, string]
  const other = id.replaceAll(/[0-9a-f]/g, '0')
  const stay = [
    `${prefix}~${'0'.repeat(12)}~${process.pid}-1~${other}`, // another host, of this moment
    `${prefix}~${host}~${owner}~${other}.docx`,
    '.gitkeep',
    '.other.tmp'
  ]
  const go = [`${prefix}~${host}~${process.pid}-1~${other}`]
  for (const name of [...stay, ...go]) await writeFile(join(directory, name), '')
  await fileStorage({ directory }).ready()
  t.same(await namesIn(directory), [...stay, ours].sort())
  content.push(null)
  await writing
})

t.test('many writes leave nothing but documents', async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  const storage = fileStorage({ directory })
  await Promise.all(Array.from({ length: 20 }, () => storage.replace('a', Buffer.from('new'))))
  t.same(await namesIn(directory), ['a.docx'])
})
