import { execFileSync } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'

const windows = process.platform === 'win32' && 'Windows has no such files'

async function assertAbsent (t: Test, directory: string, fileId: string) {
  const storage = fileStorage({ directory })
  t.equal(await storage.stat(fileId), null)
  t.equal(await storage.read(fileId), null)
  t.equal(await storage.replace(fileId, Buffer.from('new')), null)
  t.equal(await storage.remove(fileId), false)
}

for (const extension of ['docx', 'zzz']) {
  t.test(`a symbolic link named .${extension} counts as missing, whether it points inside, outside or nowhere`, { skip: windows }, async t => {
    const directory = t.testdir({ uploads: { 'real.docx': 'real' }, 'secret.txt': 'secret' })
    const uploads = join(directory, 'uploads')
    await symlink('real.docx', join(uploads, `inside.${extension}`))
    await symlink('../secret.txt', join(uploads, `outside.${extension}`))
    await symlink('nothing', join(uploads, `dangling.${extension}`))
    await symlink('/dev/zero', join(uploads, `device.${extension}`))
    for (const fileId of ['inside', 'outside', 'dangling', 'device']) await assertAbsent(t, uploads, fileId)
    t.equal(await readFile(join(directory, 'secret.txt'), 'utf8'), 'secret')
  })

  t.test(`a directory named .${extension} counts as missing`, async t => {
    const directory = t.testdir()
    await mkdir(join(directory, `a.${extension}`))
    await assertAbsent(t, directory, 'a')
  })

  t.test(`a FIFO named .${extension} counts as missing and never blocks`, { skip: windows }, async t => {
    const directory = t.testdir()
    execFileSync('mkfifo', [join(directory, `a.${extension}`)])
    await assertAbsent(t, directory, 'a')
  })

  t.test(`a socket named .${extension} counts as missing`, { skip: windows }, async t => {
    const directory = t.testdir()
    const server = createServer()
    t.teardown(() => server.close())
    const before = process.cwd()
    process.chdir(directory) // the path of a socket has room for some hundred bytes only
    await new Promise<void>(resolve => server.listen(`a.${extension}`, resolve))
    process.chdir(before)
    await assertAbsent(t, directory, 'a')
  })
}
