import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import t from 'tap'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { freePort } from '../kit/http.js'
import { filesBelow, installPacked, plainEnvironment, startExample } from '../kit/programs.js'
import { markdownFiles, readPage, root } from './markdown.js'

// Whoever reads `npx fastify-onlyoffice doctor`, in a page or in a message of the library, types what stands there, in
// the folder of an application. Each such command is run as it stands, in the folder of a running example with its
// environment file, and has to examine that example.

const NAME = 'fastify-onlyoffice doctor'

interface Place {
  readonly place: string
  readonly command: string
}

interface Found {
  readonly places: readonly Place[]
  /** How often the text of the file names the command. */
  readonly mentions: number
}

const files = [
  ...markdownFiles().map(path => ({ path, found: inMarkdown(path) })),
  ...(await filesBelow(join(root, 'lib'))).filter(isSource).map(name => ({ path: `lib/${name}`, found: inText(`lib/${name}`) })),
  { path: '.github/ISSUE_TEMPLATE/bug.yml', found: inText('.github/ISSUE_TEMPLATE/bug.yml') }
]
const places = files.flatMap(({ found }) => found.places)

t.setTimeout(300_000)

const documentServer = await startDocumentServer(t)
const { directory } = await installPacked(t, 'fastify-onlyoffice')
const bin = join(directory, 'node_modules/.bin')
const program = join(directory, 'node_modules/fastify-onlyoffice/dist/lib/cli/main.js')
await mkdir(bin)
await symlink(program, join(bin, 'fastify-onlyoffice'))
await chmod(program, 0o755) // npm install does so, too

const port = await freePort()
const variables = `# of the application
EDITOR_API_URL=${documentServer.editorApiUrl}
JWT_SECRET="${SECRET}"
PUBLIC_BASE_URL=http://127.0.0.1:${port}
PORT=${port}
`
await writeFile(join(directory, '.env'), variables)
const environment = parseEnv(variables)
await startExample(t, 'minimal/server.js', { directory, env: environment })

t.test('every place that names the command has it as code, in whole', async t => {
  for (const path of ['README.md', 'docs/doctor.md', 'docs/troubleshooting.md', 'lib/cli/options.ts', 'lib/handler/report.ts']) {
    t.ok(files.find(file => file.path === path)?.found.places.length, `${path} names it`)
  }
  for (const { path, found } of files.filter(({ found }) => found.mentions > 0)) {
    t.equal(found.places.length, found.mentions, path)
  }
})

t.test('every command works as it stands there', async t => {
  const faults = new Map<string, string | undefined>()
  for (const { place, command } of places) {
    if (!faults.has(command)) faults.set(command, await faultOf(command))
    t.equal(faults.get(command), undefined, `${place}: ${command}`)
  }
})

t.test('a command that does not work, or prints its usage, is found', async t => {
  for (
    const command of [
      `${NAME}`,
      `npx ${NAME} …`,
      `npx ${NAME} --help`,
      `npx ${NAME} --no-such-option`,
      `npx ${NAME} --env-file no-such-file`,
      `JWT_SECRET=${SECRET} npx ${NAME}`,
      `npx ${NAME} --public-base-url ${documentServer.url}`
    ]
  ) t.type(await faultOf(command), 'string', command)
})

/** What is wrong with it; `undefined` if nothing is. */
async function faultOf (command: string): Promise<string | undefined> {
  if (!command.startsWith(`npx ${NAME}`)) return 'it does not begin with npx'
  const { EDITOR_API_URL: _, JWT_SECRET: __, PUBLIC_BASE_URL: ___, PORT: ____, ...plain } = plainEnvironment
  // npm asks nobody and fetches nothing: the command is installed, or it fails
  const env = { ...plain, npm_config_yes: 'false', npm_config_offline: 'true', ...!command.includes('--env-file') && environment }
  const child = spawn(command, { cwd: directory, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], output, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return code === 0 && /\nHealthy: 0 errors|"healthy": true/.test(output) ? undefined : `exit code ${code}: ${output}${errors}`
}

/**
 * Spans of code, and commands in blocks of code, which a backslash may continue on the next line. A file for the output is
 * left out, so that the output can be looked at.
 */
function inMarkdown (path: string): Found {
  const page = readPage(path)
  const codes = [
    ...page.codeSpans,
    ...page.blocks.filter(({ language }) => language === 'sh' || language === 'yaml').flatMap(({ line, text }) =>
      text.replaceAll('\\\n', ' ').split('\n').map(command => ({ line, text: command.replace(/^ *- run: | > \S+$/g, '') })))
  ]
  return {
    places: codes.filter(({ text }) => text.includes(NAME)).map(({ line, text }) => ({ place: `${path}:${line}`, command: text.trim() })),
    mentions: mentionsIn(path)
  }
}

/** Between backticks, or a line of the help. */
function inText (path: string): Found {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return {
    places: lines.flatMap((line, index) =>
      Array.from(line.matchAll(/(?:npx )?fastify-onlyoffice doctor[^`'"\n]*/g), ([command]) => ({ place: `${path}:${index + 1}`, command }))),
    mentions: mentionsIn(path)
  }
}

function mentionsIn (path: string): number {
  return readFileSync(join(root, path), 'utf8').split(NAME).length - 1
}

/** Not the bundles, which are made of the sources. */
function isSource (name: string): boolean {
  return /\.[jt]s$/.test(name) && !name.startsWith('assets/')
}
