import fs, { chmod, readdir, stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { OWN_FOLDER } from '../kit/storage.js'

const windows = process.platform === 'win32' && 'Windows has no permission bits'

async function modeOf (path: string): Promise<string> {
  return ((await stat(path)).mode & 0o7777).toString(8)
}

async function * content (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Permissions of whatever is below a directory, by name: ids, numbers and hashes as `*`. */
async function modesBelow (directory: string): Promise<Record<string, string>> {
  const paths = await readdir(directory, { recursive: true })
  return Object.fromEntries(
    await Promise.all(paths.map(async path => {
      return [
        path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32}\b|\b[0-9a-f]{1,2}\b/g, '*').replace(/~.*/, '~'),
        await modeOf(join(directory, path))
      ]
    }))
  )
}

for (const [fileMode, umask, file, folder] of [
  [undefined, 0o000, '640', '770'],
  [undefined, 0o002, '640', '770'],
  [undefined, 0o022, '640', '750'],
  [undefined, 0o077, '600', '700'],
  [0o600, 0o000, '600', '700'],
  [0o660, 0o002, '660', '770'],
  [0o666, 0o022, '644', '755']
] as const) {
  t.test(
    `new documents and records have the storage's mode, ${fileMode?.toString(8) ?? 'default'}, minus the umask ${
      umask.toString(8)
    }`,
    { skip: windows },
    async t => {
      const root = t.testdir()
      const directory = join(root, 'App_Data', 'uploads')
      const before = process.umask(umask)
      t.teardown(() => process.umask(before))
      const storage = fileStorage({ directory, ...fileMode !== undefined && { fileMode } })
      const { fileId } = await storage.create('docx', Buffer.from('new'))
      await storage.state.set(fileId, 'a record', null)
      await storage.replace(fileId, Buffer.from('newer'), { fileType: 'odt' })
      t.strictSame(await modesBelow(root), {
        App_Data: folder,
        'App_Data/uploads': folder,
        'App_Data/uploads/*.odt': file,
        [`App_Data/uploads/${OWN_FOLDER}`]: folder,
        [`App_Data/uploads/${OWN_FOLDER}/*`]: folder,
        [`App_Data/uploads/${OWN_FOLDER}/*/*`]: folder,
        [`App_Data/uploads/${OWN_FOLDER}/*/*/*`]: file
      })
      await storage.close()
    }
  )
}

t.test('a file has no wider permissions while it is written than afterwards', { skip: windows }, async t => {
  const root = t.testdir({ uploads: { 'secret.docx': 'old' } })
  const directory = join(root, 'uploads')
  await chmod(join(directory, 'secret.docx'), 0o600)
  const umask = process.umask(0)
  t.teardown(() => process.umask(umask))
  const made: Array<readonly [flags: unknown, mode: unknown]> = []
  const { open } = fs
  t.teardown(() => {
    fs.open = open
    syncBuiltinESMExports()
  })
  fs.open = async (path, flags, mode) => {
    // other storages of this process may sweep meanwhile
    if (flags === 'wx' && String(path).startsWith(directory)) made.push([flags, mode])
    return await open(path, flags, mode)
  }
  syncBuiltinESMExports()
  const storage = fileStorage({ directory })
  await storage.create('docx', Buffer.from('new'))
  await storage.stage('absent', content('staged'))
  await storage.state.set('secret', 'a record', null)
  await storage.state.set('another', 'a record', null)
  t.ok(made.length >= 5)
  t.strictSame(made.filter(([, mode]) => mode !== 0o640), [])
  made.length = 0
  await storage.replace('secret', Buffer.from('new'))
  await storage.stage('secret', content('staged'))
  t.strictSame(made, [['wx', 0o600], ['wx', 0o640], ['wx', 0o600]], 'a content, its record, and a content')
  await storage.close()
})

t.test('a conflict copy gets the permissions of its document, any other new document those of the storage', {
  skip: windows
}, async t => {
  const directory = t.testdir({ 'a.docx': 'old' })
  await chmod(join(directory, 'a.docx'), 0o664)
  const storage = fileStorage({ directory })
  const beside = await storage.create('docx', await storage.stage('a', content('beside')))
  t.equal(await modeOf(join(directory, `${beside.fileId}.docx`)), '664')
  const other = await storage.create('docx', await storage.stage('absent', content('other')))
  t.equal(await modeOf(join(directory, `${other.fileId}.docx`)), '640')
})

t.test('an existing directory keeps its permissions', { skip: windows }, async t => {
  const directory = t.testdir({ uploads: {} })
  await chmod(join(directory, 'uploads'), 0o775)
  await fileStorage({ directory: join(directory, 'uploads') }).ready()
  t.equal(await modeOf(join(directory, 'uploads')), '775')
})

t.test('an invalid mode, or one without owner read and write, is refused when the storage is created', async t => {
  for (const fileMode of [0, 0o440, 0o200, 0o400, 0o1000, 0o4640, -1, 416.5, NaN, Infinity, '640', null, {}]) {
    t.throws(() => fileStorage({ directory: 'uploads', fileMode: fileMode as number }), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: /^Option fileMode /
    }, String(fileMode))
  }
  for (const fileMode of [0o600, 0o640, 0o777, undefined]) {
    t.ok(fileStorage({ directory: 'uploads', fileMode: fileMode! }))
  }
})
