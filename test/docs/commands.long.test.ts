import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { commandOf as emulatorCommandOf } from '../../emulator/lib/cli/options.js'
import { commandOf } from '../../lib/cli/options.js'
import { markdownFiles, type Page, readPage, root } from './markdown.js'

// The commands in the Markdown files: bash parses them and tells which programs it would start with which arguments. No
// program is started. Each of them, and each npm script, package, option and file that a command names, has to exist.

interface Command {
  readonly page: Page
  readonly line: number
  /** Where `cd` has led. */
  readonly folder: string
  readonly args: readonly string[]
}

interface Source extends Pick<Command, 'page' | 'line'> {
  readonly text: string
}

/**
 * Prints, for each program that a script would start: the number of the script, the folder, how many words follow, and
 * these.
 */
const RECORDER = `
PATH=/nonexistent
command_not_found_handle () { printf '%s\\0' "$index" "$folder" "$#" "$@" >&3; }
cd () { folder=$folder/$1; }
exec 3>&1 >/dev/null
index=0
for text; do
  folder=.
  ( eval "$text" ) || printf '%s\\0' "$index" . 1 'what bash cannot parse' >&3
  index=$((index + 1))
done`

const MENTION = /^(npm |npx |node scripts\/)[^<…]*$/
const ENVIRONMENT = {
  EDITOR_API_URL: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
  JWT_SECRET: 'a-secret-of-this-test-suite-0123456789',
  PUBLIC_BASE_URL: 'https://app.example.com'
}
const REPOSITORY = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository.url.replace('git+', '')
const PACKAGES = ['package.json', 'emulator/package.json'].flatMap(path => {
  const { name, dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, path), 'utf8'))
  return [name, ...Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })]
})

/** What is wrong with a command; `undefined` if nothing is. */
const programs: Readonly<Record<string, (args: readonly string[], command: Command) => string | undefined>> = {
  npm: npmFault,
  npx ([name, ...args]) {
    const parse = { 'fastify-onlyoffice': commandOf, 'onlyoffice-emulator': emulatorCommandOf }[name ?? '']
    if (!parse) return PACKAGES.includes(name ?? '') ? undefined : `npx ${name} is of no package of ours`
    try {
      parse(args, ENVIRONMENT)
      return undefined
    } catch (error) {
      const { message } = error as Error
      return message.startsWith('--env-file: cannot read') ? undefined : message // none is here
    }
  },
  node: (args, command) => missingFile(args.find((arg, index) => /\.[jt]s$/.test(arg) && args[index - 1] !== '--import') ?? 'no script', command),
  cp: ([source = ''], command) => missingFile(source, command),
  docker: dockerFault,
  curl: args => args.some(arg => URL.canParse(arg)) ? undefined : 'curl has no URL',
  git: ([subcommand, ...args]) => subcommand === 'clone' && args.at(-1) === REPOSITORY ? undefined : `git ${subcommand} of another repository`,
  openssl: args => args[0] === 'rand' ? undefined : `openssl ${args[0]} is unknown`,
  jq: args => args.at(-1)?.endsWith('.log') ? undefined : 'jq reads no log',
  ...Object.fromEntries(['date', 'grep', 'mkdir', 'printenv', 'sha256sum'].map(name => [name, () => undefined]))
}

const pages = markdownFiles().filter(path => !path.endsWith('CHANGELOG.md')).map(readPage)
const sources = pages.flatMap(page => [
  ...page.blocks.filter(({ language }) => language === 'sh').map(({ line, text }): Source => ({ page, line, text })),
  ...page.codeSpans.filter(({ text }) => MENTION.test(text)).map(({ line, text }): Source => ({ page, line, text }))
])
const hasBash = spawnSync('bash', ['-c', '(( BASH_VERSINFO[0] >= 4 ))']).status === 0

t.test('every command in the Markdown files names programs, scripts, packages, options and files that exist', {
  skip: !hasBash && 'This machine has no bash 4'
}, async t => {
  const commands = commandsOf(sources)
  t.ok(commands.length >= sources.length)
  for (const command of commands) t.equal(faultOf(command), undefined, titleOf(command))
})

t.test('a command with an error is found', { skip: !hasBash && 'This machine has no bash 4' }, async t => {
  const [page] = pages
  const wrong = [
    'npm run no-such-script', 'npm install no-such-package', 'npm test -- test/no-such-folder',
    'npx fastify-onlyoffice doctor --no-such-option', 'npx fastify-onlyoffice',
    'npx onlyoffice-emulator --no-such-option', 'npx no-such-program', 'node no-such-file.js', 'cp no-such-file .env',
    'docker compose exec app no-such-program', 'git clone https://github.com/no-such/repository.git',
    'no-such-program', 'if then', 'cd examples/react && npm run no-such-script'
  ]
  const commands = commandsOf(wrong.map((text, line): Source => ({ page: page!, line, text })))
  t.strictSame(commands.filter(command => faultOf(command) === undefined).map(({ line }) => wrong[line]), [])
  t.equal(commands.length, wrong.length)
})

const hasNginx = spawnSync('nginx', ['-v']).status === 0

t.test('nginx accepts every block of its configuration', { skip: !hasNginx && 'This machine has no nginx' }, async t => {
  const directory = await mkdtemp(join(tmpdir(), 'docs-nginx-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const blocks = pages.flatMap(page => page.blocks.filter(({ language }) => language === 'nginx'))
  for (const { page, line, text } of blocks) {
    const path = join(directory, 'nginx.conf')
    const servers = /^server \{/m.test(text) ? text : `upstream documentserver { server 127.0.0.1; }\nserver {\n${text}\n}`
    await writeFile(path, `pid ${directory}/pid;\nevents {}\nhttp {\n${temporaryPaths(directory)}\n${servers}\n}\n`)
    const { status, stderr } = spawnSync('nginx', ['-t', '-q', '-e', 'stderr', '-p', directory, '-c', path], { encoding: 'utf8' })
    t.equal(status, 0, `${page}:${line} ${stderr}`)
  }
})

function commandsOf (sources: readonly Source[]): Command[] {
  const output = execFileSync('bash', ['-c', RECORDER, 'bash', ...sources.map(({ text }) => text)], {
    encoding: 'utf8',
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const words = output.split('\0').slice(0, -1)
  const commands: Command[] = []
  while (words.length > 0) {
    const [index, folder, count] = words.splice(0, 3)
    const { page, line } = sources[Number(index)]!
    commands.push({ page, line, folder: folder!, args: words.splice(0, Number(count)) })
  }
  return commands
}

function faultOf (command: Command): string | undefined {
  const [program, ...args] = command.args
  const check = Object.hasOwn(programs, program!) ? programs[program!] : undefined
  return check ? check(args, command) : `the program is unknown to this test: ${program}`
}

function npmFault ([subcommand = '', ...others]: readonly string[], command: Command): string | undefined {
  const end = others.includes('--') ? others.indexOf('--') : others.length
  const names = others.slice(0, end).filter(arg => !arg.startsWith('-'))
  switch (subcommand) {
    case 'ci': case 'init': case 'pkg': case 'publish': case 'pack':
      return undefined
    case 'install': {
      const unknown = names.filter(name => !PACKAGES.includes(name))
      return unknown.length > 0 ? `${unknown.join(', ')}: in no package.json` : undefined
    }
    case 'run':
      return noScript(names[0] ?? '', command)
    case 'test': {
      const paths = others.slice(end + 1).filter(arg => !arg.startsWith('-'))
      return noScript('test', command) ?? paths.map(path => missingFile(path, command)).find(fault => fault !== undefined)
    }
    case 'start':
      return noScript('start', command)
    default:
      return `npm ${subcommand} is unknown to this test`
  }
}

/** A command in a container is examined like any other. */
function dockerFault ([compose, subcommand, service = '', ...inner]: readonly string[], command: Command): string | undefined {
  if (compose === 'compose' && subcommand === 'up') return missingFile('docker-compose.yml', command)
  if (compose === 'compose' && subcommand === 'exec' && /^\w+$/.test(service)) return faultOf({ ...command, args: inner })
  return `docker ${compose} ${subcommand} is unknown`
}

function noScript (name: string, command: Command): string | undefined {
  const exists = foldersOf(command).some(folder => {
    const path = join(folder, 'package.json')
    return existsSync(path) && Object.hasOwn(JSON.parse(readFileSync(path, 'utf8')).scripts, name)
  })
  return exists ? undefined : `there is no npm script ${name}`
}

/** A file that the page tells to write need not exist. */
function missingFile (path: string, command: Command): string | undefined {
  const isNamed = command.page.codeSpans.some(({ text }) => text === path)
  return isNamed || foldersOf(command).some(folder => existsSync(join(folder, path))) ? undefined : `${path} does not exist`
}

/** A page tells commands for the repository, or for its own folder. */
function foldersOf ({ page, folder }: Command): string[] {
  return [join(root, folder), join(root, dirname(page.path), folder)]
}

function titleOf ({ page, line, args }: Command): string {
  return `${page.path}:${line}: ${args.join(' ')}`
}

/** Which nginx would otherwise make where only root may. */
function temporaryPaths (directory: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${directory};`).join(' ')
}
