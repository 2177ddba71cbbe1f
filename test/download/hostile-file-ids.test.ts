import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'
import { exchangeGet } from '../kit/http.js'

const encode = encodeURIComponent

const ABSENT = '{"statusCode":404,"code":"FST_EDITOR_FILE_NOT_FOUND","error":"Not Found","message":"No stored file has this fileId"}'

/** What stands after `fileId=` in the request. */
const table: Record<string, string[]> = {
  paths: [
    '../outside', '..\\outside', '%2e%2e%2foutside', '%2e%2e/outside', '..%5coutside', '%252e%252e%252foutside',
    '/etc/hostname', '/etc/passwd', 'C:%5Cwindows', 'x/../../outside', 'sub/inner', './real', '%2freal'
  ],
  patterns: ['*', '%3F', '?', '[r]eal', '%5Br%5Deal', '{real,other}', 're*', 'r%3Fal', 'real*', '**'],
  'control characters and invalid UTF-8': [
    'real%00', '%00', 'real%0A', 'real%0D%0A', '%07real', 'real%7F', '%ff', 'real%ff', '%ED%A0%80', 'real%ED%A0%80',
    encode('real\u202e'), encode('\u202dreal'), encode('real\u2028')
  ],
  'device names and temp file names': [
    'CON', 'nul', 'COM1', 'lpt9', 'CON.txt', 'real.', 'real%20', 'real..', 'real::$DATA', 'real%3A%3A%24DATA', '.',
    '..', '.tmp', '.real', '.real.tmp', 'real.docx'
  ],
  'long names': ['x'.repeat(256), 'x'.repeat(10_000), encode('ü'.repeat(128)), encode('😀'.repeat(64))]
}

for (const [title, fileIds] of Object.entries(table)) {
  t.test(`${title} in the fileId of a download are answered as a missing file`, async t => {
    const root = t.testdir({
      'outside.docx': 'outside',
      uploads: {
        'real.docx': 'real',
        'other.docx': 'other',
        '.tmp.docx': 'hidden',
        '.real.docx': 'hidden',
        'CON.docx': 'device',
        sub: { 'inner.docx': 'inner' }
      }
    })
    const host = await startHost(t, {
      storage: fileStorage({ directory: `${root}/uploads` }),
      authorize: () => 'grant'
    })
    for (const fileId of fileIds) {
      const answer = await exchangeGet(t, host.origin, `${HANDLER}?action=download&fileId=${fileId}`)
      t.match(answer, /^HTTP\/1\.1 404 /, fileId.slice(0, 40))
      t.ok(answer.endsWith(`\r\n\r\n${ABSENT}`), 'the same answer for all: no errno, no path')
    }
    t.equal(
      await (await fetch(host.handler({ action: 'download', fileId: 'real' }))).text(),
      'real',
      'the valid file next to them is found'
    )
  })
}

t.test('a symlink, directory, FIFO or device with a matching name is answered as a missing file, without hanging', async t => {
  const root = t.testdir({ 'outside.docx': 'outside', uploads: { 'real.docx': 'real' } })
  const uploads = `${root}/uploads`
  symlinkSync(`${root}/outside.docx`, `${uploads}/link.docx`)
  symlinkSync(`${uploads}/real.docx`, `${uploads}/inner.docx`)
  symlinkSync('/dev/zero', `${uploads}/endless.docx`)
  mkdirSync(`${uploads}/folder.docx`)
  writeFileSync(`${uploads}/folder.docx/file.docx`, 'inner')
  execFileSync('mkfifo', [`${uploads}/pipe.docx`])
  const host = await startHost(t, { profile: 'classic', storage: fileStorage({ directory: uploads }) })
  for (const fileId of ['link', 'inner', 'endless', 'folder', 'pipe']) {
    const response = await fetch(host.handler({ action: 'download', fileId }))
    t.equal(response.status, 404, fileId)
    t.equal(await response.text(), ABSENT)
  }
})
