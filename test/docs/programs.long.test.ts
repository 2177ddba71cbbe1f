import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createDocumentServer } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { blankDocument } from '../../lib/index.js'
import { freePort } from '../kit/http.js'
import { markdownFiles, readPage } from './markdown.js'
import { plainEnvironment, root } from '../kit/programs.js'

// The programs in the Markdown files, marked with <!-- run: name -->, are run as a reader would run them: each in an
// empty folder with the packages installed. Only addresses and ports are replaced. Each has to do what its page
// promises.

const SECRET = 'a-secret-of-this-test-suite-0123456789'

interface Program {
  /** The folder it runs in. */
  readonly directory: string
  readonly port: number
  /** Of the document server that stands in for docs.example.com. */
  readonly documentServer: Awaited<ReturnType<typeof createDocumentServer>>
  /** Resolves when it has printed this; rejects when it ends before. */
  printed (pattern: RegExp): Promise<void>
  /** Resolves when it has ended by itself. */
  ended (): Promise<{ readonly code: number | null, readonly output: string }>
}

/** What each program promises. */
const promises: Readonly<Record<string, (t: Test, program: Program) => Promise<void>>> = {
  usage: opensAndSaves('/report', { stored: 'report.docx' }),
  'first-ten-minutes': async (t, program) => {
    await program.printed(/Open http/)
    const page = await fetch(`http://127.0.0.1:${program.port}/`)
    t.equal(page.status, 200)
    t.match(await page.text(), /data-onlyoffice-editor/)
  },
  'own-test': passes,
  emulator: passes
}

const blocks = markdownFiles().map(readPage).flatMap(({ blocks }) => blocks).filter(({ marks }) => marks.run !== undefined)

t.setTimeout(300_000)
t.strictSame(blocks.map(({ marks }) => marks.run).sort(), Object.keys(promises).sort(), 'every program has a promise, and every promise a program')

for (const { page, line, text: source, marks: { run = '' } } of blocks) {
  t.test(`${run}, the program at ${page}:${line}, does what its page says`, async t => {
    await promises[run]?.(t, await start(t, source))
  })
}

/** Opens the page, edits the document in it, and finds the edit in the storage. */
function opensAndSaves (path: string, { stored }: { readonly stored: string }) {
  return async (t: Test, { directory, documentServer, port, printed }: Program): Promise<void> => {
    const file = join(directory, 'App_Data/uploads', stored)
    await mkdir(dirname(file), { recursive: true })
    const before = Buffer.from(blankDocument('docx'))
    await writeFile(file, before)
    await printed(/Server listening/)
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    t.equal(response.status, 200)
    const session = await documentServer.open(configIn(await response.text()))
    await session.edit('Minutes')
    t.equal((await session.close()).accepted, true)
    t.notOk(before.equals(await readFile(file)), 'the stored file is replaced')
  }
}

async function passes (t: Test, { ended }: Program): Promise<void> {
  const { code, output } = await ended()
  t.equal(code, 0, output)
  t.match(output, /pass [1-9]/)
}

async function start (t: Test, source: string): Promise<Program> {
  const directory = await emptyProject(t)
  const documentServer = await createDocumentServer({ jwtSecret: SECRET })
  t.teardown(() => documentServer.close())
  const port = await freePort()
  const publicBaseUrl = `http://127.0.0.1:${port}`
  await writeFile(join(directory, 'app.js'), source
    .replaceAll('https://docs.example.com', new URL(documentServer.editorApiUrl).origin)
    .replaceAll('https://app.example.com', publicBaseUrl)
    .replaceAll(/\b3\d{3}\b/g, String(port)))

  const variables = { EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET: SECRET, PUBLIC_BASE_URL: publicBaseUrl }
  const child = spawn(process.execPath, ['app.js'], {
    cwd: directory,
    env: { ...plainEnvironment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const errors = text(child.stderr)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { output += chunk })
  t.teardown(async () => {
    child.kill()
    await exited
  })

  return {
    directory,
    port,
    documentServer,
    async printed (pattern) {
      while (!pattern.test(output)) {
        const event = await Promise.race([once(child.stdout, 'data').then(() => 'data'), exited.then(() => 'exit')])
        if (event === 'exit') throw new Error(`it has ended: ${output}${await errors}`)
      }
    },
    async ended () {
      const [code] = await exited
      return { code, output: output + await errors }
    }
  }
}

/** A folder as `npm init` and `npm install` leave it. */
async function emptyProject (t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'docs-program-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  await mkdir(join(directory, 'node_modules'))
  await symlink(root, join(directory, 'node_modules/fastify-onlyoffice'))
  for (const name of ['fastify', 'onlyoffice-emulator', 'fast-jwt']) await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name))
  return directory
}

/** What the page hands over to the editor. */
function configIn (html: string): object {
  const [, json = ''] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}
