import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { isSafeFileId } from '../../lib/security/names.js'
import { fileStorage } from '../../lib/index.js'
import { memoryStorage } from '../../lib/store/memory.js'

const hostile: Record<string, readonly unknown[]> = {
  'fileIds that are paths': ['../x', '..\\x', '/x', '/etc/passwd', 'C:\\x', 'C:x', '\\\\host\\share', 'a/../../b', 'a/b', './x'],
  'fileIds that are patterns': ['*', '?', 'a*', 'a?'],
  'fileIds with invisible or invalid characters': [
    'a\0', '\0', 'a\nb', '\x1b[2J', '\x7f', '\x85', '\ud800', 'a\udc00', '\u202ecod.x', '\u2066a', '\u2069', '\u200ea', '\u200fa', '\u2028'
  ],
  'fileIds that are reserved names': [
    'CON', 'con', 'nul', 'PRN', 'aux', 'COM1', 'com9', 'LPT1', 'con.x', 'Nul.tar', 'con .x', 'conin$', 'a.', 'a ', 'a\t', 'a..', 'a::$DATA',
    '.', '..', '.a', '.fastify-onlyoffice~0123456789ab~1-2~00000000-0000-4000-8000-000000000000', 'a<', 'a>', 'a"', 'a|', 'a:b'
  ],
  'fileIds that are too long': ['a'.repeat(201), 'a'.repeat(256), 'é'.repeat(101), '😀'.repeat(51), 'a'.repeat(10_000), ''],
  'fileIds that are not strings': [undefined, null, 1, ['a'], { a: 1 }, true]
}

const harmless = [
  'a', 'report', 'a b', ' a', 'a&b', 'a#b', 'a+b', '100%', 'é', '😀', 'a.docx', 'a..b', '[a]', '{a,b}', '(1)', '~a', '-a', '__proto__',
  'constructor', 'console', 'com10', 'xcon', 'a;b', "a'b", 'a$b', 'a`b', '%2e%2e%2f', 'A'.repeat(200), 'é'.repeat(100), 'שלום', '中文'
]

for (const [title, ids] of Object.entries(hostile)) {
  t.test(`${title} find no file in any storage, even if a file had that name`, async t => {
    const directory = t.testdir({ uploads: {}, 'x.docx': 'outside' })
    const uploads = join(directory, 'uploads')
    for (const id of ids) {
      // Where the system allows such a name, the file is really there.
      if (typeof id === 'string' && !/[/\\]|^\.*$/.test(id)) await writeFile(join(uploads, `${id}.docx`), 'inside').catch(() => {})
    }
    for (const storage of [fileStorage({ directory: uploads }), memoryStorage()]) {
      for (const id of ids as string[]) {
        const label = encodeURIComponent(String(id).toWellFormed()).slice(0, 60) // TAP is read line by line
        t.notOk(isSafeFileId(id), label)
        t.equal(await storage.stat(id), null, `stat ${label}`)
        t.equal(await storage.read(id), null, `read ${label}`)
        t.equal(await storage.replace(id, Buffer.from('new')), null, `replace ${label}`)
        t.equal(await storage.remove(id), false, `remove ${label}`)
      }
    }
  })
}

t.test('fileIds with blanks, marks and letters of any script find their files', async t => {
  const directory = t.testdir(Object.fromEntries(harmless.map(id => [`${id}.docx`, `content of ${id}`])))
  const storage = fileStorage({ directory })
  for (const id of harmless) {
    t.ok(isSafeFileId(id), id)
    const result = await storage.read(id)
    t.equal(result && Buffer.concat(await result.body.toArray()).toString(), `content of ${id}`)
  }
})

t.test('brackets and braces in a fileId are taken literally, never as a pattern', async t => {
  const storage = fileStorage({ directory: t.testdir({ 'a.docx': 'a', 'b.docx': 'b', 'ab.docx': 'ab' }) })
  for (const id of ['[a]', '{a,b}', '[ab]', 'a*', '?', '*', '', 'a.docx', 'A']) t.equal(await storage.stat(id), null, id)
})
