import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { listen } from '../../../test/kit/http.js'
import { holdTimers } from '../../../test/kit/time.js'
import { libreOffice } from '../../lib/documents/converter/libre-office.js'
import { postSigned, startBoth } from '../support.js'
import { linkingDocuments } from './linking.js'

/** A program in the place of soffice. Its `$7` is the folder of results, its last argument the document. */
function fakeOffice (t: Test, script: string): string {
  const path = join(t.testdir({ soffice: `#!/bin/sh\n${script}\n`, temporary: {} }), 'soffice')
  chmodSync(path, 0o755)
  return path
}

t.test('soffice runs in its own directory with its own profile, and both are removed', async t => {
  const soffice = fakeOffice(t, `
printf '%s\\n' "$@" > "$0.arguments"
for last; do :; done
mkdir "$7" && { printf '%%PDF-'; cat "$last"; } > "$7/source.pdf"`)
  const convert = await libreOffice(soffice)
  t.equal((await convert!(Buffer.from('$(text)'), 'txt', 'pdf'))?.toString(), '%PDF-$(text)')

  const [profile, ...rest] = readFileSync(`${soffice}.arguments`, 'utf8').trim().split('\n')
  const source = rest.at(-1)!
  t.strictSame(rest.slice(0, 4), ['--headless', '--norestore', '--convert-to', 'pdf'])
  t.equal(profile, `-env:UserInstallation=file://${dirname(source)}/profile`)
  t.equal(existsSync(dirname(source)), false)
})

t.test('a failing or missing soffice converts nothing', async t => {
  t.equal(await (await libreOffice('/bin/false'))!(Buffer.from('x'), 'txt', 'pdf'), null)
  t.equal(await (await libreOffice('/nowhere/soffice'))!(Buffer.from('x'), 'txt', 'pdf'), null)
  t.equal(await libreOffice(false), null)
})

t.test('a format that is a path or an option is not passed to soffice', async t => {
  const soffice = fakeOffice(t, 'touch "$0.called"')
  const convert = await libreOffice(soffice)
  for (const format of ['', '../x', '/tmp/x', '--help', 'pdf:writer_pdf_Export', 'a b', 'pdf\n', 'PDF', 'x'.repeat(9)]) {
    t.equal(await convert!(Buffer.from('x'), format, 'pdf'), null, format)
    t.equal(await convert!(Buffer.from('x'), 'txt', format), null, format)
  }
  t.equal(existsSync(`${soffice}.called`), false)
})

for (const [title, limits] of Object.entries({
  'that takes too long' (t: Test, soffice: string) {
    const deadlineMs = 200_000
    const timers = holdTimers(t, deadlineMs)
    whenThere(`${soffice}.child`).addEventListener('abort', timers.pass)
    return { deadlineMs }
  },
  'at work when the server closes': (_t: Test, soffice: string) => ({ closing: whenThere(`${soffice}.child`) })
})) {
  t.test(`a soffice that ${title} is killed, with its child processes`, async t => {
    const soffice = fakeOffice(t, 'sleep 1000 & echo $! > "$0.new"; mv "$0.new" "$0.child"; wait')
    const before = process.env.TMPDIR
    const temporary = process.env.TMPDIR = join(dirname(soffice), 'temporary')
    t.teardown(() => { restore('TMPDIR', before) })
    t.equal(await (await libreOffice(soffice, limits(t, soffice)))!(Buffer.from('x'), 'txt', 'pdf'), null)
    const child = Number(readFileSync(`${soffice}.child`, 'utf8'))
    await ended(child)
    t.strictSame(readdirSync(temporary), [])
  })
}

t.test('a closed server leaves no files of a conversion on the disk', async t => {
  const soffice = fakeOffice(t, 'mkdir -p many/files; : > "$0.child"; exec sleep 1000')
  const before = process.env.TMPDIR
  const temporary = process.env.TMPDIR = join(dirname(soffice), 'temporary')
  t.teardown(() => { restore('TMPDIR', before) })
  const { host, server } = await startBoth(t, { libreOffice: soffice })
  const answer = postSigned(`${server.url}/converter`, { filetype: 'txt', outputtype: 'odt', key: 'K', url: `${host.origin}/files/notes.txt` }).catch(() => {})
  await once(whenThere(`${soffice}.child`), 'abort')
  t.equal(readdirSync(temporary).length, 1)
  await server.close()
  t.strictSame(readdirSync(temporary), [])
  await answer
})

t.test('conversions run one after the other, also after one that failed', async t => {
  const soffice = fakeOffice(t, 'echo start >> "$0.log"; sleep 0.02; mkdir "$7"; echo end >> "$0.log"; [ -e "$0.ok" ] && echo x > "$7/source.pdf"; : > "$0.ok"')
  const convert = await libreOffice(soffice)
  const results = await Promise.all(Array.from({ length: 4 }, async () => await convert!(Buffer.from('x'), 'txt', 'pdf')))
  t.strictSame(results.map(result => result !== null), [false, true, true, true])
  t.equal(readFileSync(`${soffice}.log`, 'utf8'), 'start\nend\n'.repeat(4))
})

const installed = await libreOffice(undefined)

t.test('LibreOffice fetches nothing for a document, not even from loopback', { skip: installed === null && 'LibreOffice is not installed' }, async t => {
  const asked = new Set<string>()
  const server = http.createServer((request, response) => {
    asked.add(request.url!)
    response.writeHead(404).end()
  })
  const { origin } = await listen(t, server)
  const documents = linkingDocuments(format => `${origin}/${format}`)
  const formats = Object.keys(documents)

  await Promise.all(formats.map(async format => {
    const pdf = await installed!(documents[format]!, format, 'pdf')
    t.equal(pdf?.subarray(0, 5).toString(), '%PDF-', format)
  }))
  t.strictSame([...asked], [])

  // The same documents do reach it with a profile as it comes: what keeps them from it are the settings.
  const directory = t.testdir(Object.fromEntries(formats.map(format => [`a.${format}`, Buffer.from(documents[format]!)])))
  await promisify(execFile)('soffice', [
    `-env:UserInstallation=${pathToFileURL(join(directory, 'profile')).href}`, '--headless', '--norestore',
    '--convert-to', 'pdf', '--outdir', join(directory, 'out'), ...formats.map(format => join(directory, `a.${format}`))
  ])
  t.strictSame([...asked].sort(), formats.map(format => `/${format}`).sort())
})

function restore (name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name)
  else process.env[name] = value
}

/** Aborted as soon as there is a file. */
function whenThere (path: string): AbortSignal {
  const controller = new AbortController()
  const look = () => { if (existsSync(path)) controller.abort(); else setImmediate(look) }
  look()
  return controller.signal
}

/** Resolves when a process has ended. */
async function ended (pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
      // Killed, but nobody has asked how it ended: it has no command line any more.
      if (process.platform === 'linux' && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '') return
    } catch {
      return
    }
    await new Promise(resolve => setImmediate(resolve))
  }
}
