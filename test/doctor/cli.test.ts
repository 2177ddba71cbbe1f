import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { hasColors } from '../../lib/cli/doctor.js'
import { commandOf, HELP } from '../../lib/cli/options.js'
import { renderText } from '../../lib/doctor/render-text.js'
import type { DoctorFinding } from '../../types/doctor.js'
import { SECRET } from '../kit/document-server.js'

const API = 'https://docs.example.com/web-apps/apps/api/documents/api.js'
const ENVIRONMENT = { EDITOR_API_URL: API, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://app.example.com' }
const parse = (...args: string[]) => commandOf(['doctor', ...args], ENVIRONMENT)

t.test('without options everything comes from the environment', async t => {
  t.strictSame(parse(), {
    type: 'doctor',
    plugin: {
      editorApiUrl: API,
      jwtSecret: SECRET,
      publicBaseUrl: 'https://app.example.com',
      path: undefined,
      profile: undefined,
      documentServer: { internalUrl: undefined, authorizationHeader: undefined }
    },
    port: undefined,
    json: false
  })
  t.match(commandOf(['doctor'], { ...ENVIRONMENT, DOCUMENT_SERVER_INTERNAL_URL: 'http://documentserver', PORT: '3000' }), {
    plugin: { documentServer: { internalUrl: 'http://documentserver' } },
    port: 3000
  })
  for (const PORT of ['', '0', '70000', '\\\\.\\pipe\\app', '-1', '3000a']) {
    t.match(commandOf(['doctor'], { ...ENVIRONMENT, PORT }), { port: undefined }, `PORT=${PORT} is no port to wait at`)
  }
})

t.test('options override the environment', async t => {
  t.match(
    parse(
      '--editor-api-url', 'https://other.example.com/api.js',
      '--public-base-url', 'http://app:3000',
      '--internal-url=http://documentserver',
      '--path', '/editor',
      '--profile', 'classic',
      '--authorization-header', 'X-Token',
      '--json'
    ),
    {
      plugin: {
        editorApiUrl: 'https://other.example.com/api.js',
        publicBaseUrl: 'http://app:3000',
        jwtSecret: SECRET,
        path: '/editor',
        profile: 'classic',
        documentServer: { internalUrl: 'http://documentserver', authorizationHeader: 'X-Token' }
      },
      json: true
    }
  )
})

t.test('--env-file has what is not set; what is set wins over it', async t => {
  const directory = t.testdir({
    '.env': `# of the application
EDITOR_API_URL=${API} # as the browser reaches it
JWT_SECRET="${SECRET}"
PUBLIC_BASE_URL='http://of-the-file'
DOCUMENT_SERVER_INTERNAL_URL=http://documentserver
PORT=3000
`
  })
  const file = join(directory, '.env')
  t.match(commandOf(['doctor', '--env-file', file], { JWT_SECRET: '' }), {
    plugin: {
      editorApiUrl: API,
      jwtSecret: SECRET,
      publicBaseUrl: 'http://of-the-file',
      documentServer: { internalUrl: 'http://documentserver' }
    },
    port: 3000
  }, 'an empty variable counts as not set')
  t.match(commandOf(['doctor', '--env-file', file], { PUBLIC_BASE_URL: 'http://of-the-environment' }), {
    plugin: { publicBaseUrl: 'http://of-the-environment' }
  })
  t.match(commandOf(['doctor', '--env-file', file, '--public-base-url', 'http://of-the-option'], ENVIRONMENT), {
    plugin: { publicBaseUrl: 'http://of-the-option' }
  })
})

t.test('help and version need nothing else', async t => {
  for (const args of [['--help'], ['-h'], ['doctor', '--help']]) t.same(commandOf(args, {}), { type: 'help' })
  t.same(commandOf(['--version'], {}), { type: 'version' })
})

t.test('the help names every option, variable and exit code, in lines that fit', async t => {
  for (
    const name of [
      'EDITOR_API_URL', 'JWT_SECRET', 'PUBLIC_BASE_URL', 'DOCUMENT_SERVER_INTERNAL_URL', 'PORT', 'NODE_EXTRA_CA_CERTS',
      '--env-file', '--editor-api-url', '--public-base-url', '--internal-url', '--path', '--profile',
      '--authorization-header', '--json', '--help', '--version'
    ]
  ) {
    t.match(HELP, new RegExp(`^ {2}(?:-h, )?${name} `, 'm'))
  }
  t.match(HELP, /Exit codes: 0 .* 1 .* 2 .* 130/)
  t.ok(HELP.split('\n').every(line => line.length <= 125))
})

t.test('all that is missing is named at once, with the lines of a file that sets it', async t => {
  const directory = t.testdir()
  const file = join(directory, '.env')
  const message = messageOf(() => commandOf(['doctor'], { PUBLIC_BASE_URL: '' }))
  t.match(message, /^not set: EDITOR_API_URL, JWT_SECRET, PUBLIC_BASE_URL\. Set these .* --env-file \.env:\n/)

  await writeFile(file, message.slice(message.indexOf('\n')))
  t.match(commandOf(['doctor', '--env-file', file], {}), {
    plugin: { editorApiUrl: API, jwtSecret: '…', publicBaseUrl: 'https://app.example.com' }
  })

  const { JWT_SECRET, ...others } = ENVIRONMENT
  t.match(messageOf(() => commandOf(['doctor'], others)), /^not set: JWT_SECRET\. .*:\nJWT_SECRET=[^\n]*$/)
  t.match(
    messageOf(() => commandOf(['doctor', '--editor-api-url', API], { JWT_SECRET })),
    /^not set: PUBLIC_BASE_URL\. .*:\nPUBLIC_BASE_URL=[^\n]*$/
  )
})

t.test('wrong usage is explained, and a typo gets the nearest name', async t => {
  const wrong: Array<[args: string[], message: RegExp]> = [
    [[], /^name a command: doctor$/],
    [['docter'], /^unknown command "docter": did you mean doctor\?$/],
    [['xyz'], /^unknown command "xyz"$/],
    [['doctor', '--public-url', 'x'], /^unknown option --public-url: did you mean --public-base-url\?$/],
    [['doctor', '--editor-url=x'], /^unknown option --editor-url: did you mean --editor-api-url\?$/],
    [['doctor', '--jsno'], /^unknown option --jsno: did you mean --json\?$/],
    [['doctor', '--envfile', '.env'], /: did you mean --env-file\?$/],
    [['doctor', '--qqqqqqqqqqqq'], /^unknown option --qqqqqqqqqqqq$/],
    [['doctor', '-x'], /^unknown option -x/],
    [['doctor', '--path'], /'--path <value>' argument missing/],
    [['doctor', 'more'], /^"more" is neither an option nor the value of one$/],
    [['doctor', '--env-file', 'no-such-file'], /^--env-file: cannot read no-such-file \(ENOENT\)$/],
    [['doctor', '--env-file', '.'], /^--env-file: cannot read \. \(EISDIR\)$/]
  ]
  for (const [args, message] of wrong) t.match(messageOf(() => commandOf(args, ENVIRONMENT)), message, args.slice(-2).join(' '))
})

t.test('whoever gives the secret on the command line does not see it printed', async t => {
  for (const args of [['doctor', '--jwt-secret', SECRET], ['doctor', `--jwt-secret=${SECRET}`]]) {
    t.match(messageOf(() => commandOf(args, ENVIRONMENT)), /^unknown option --jwt-secret$/)
  }
  for (const args of [[SECRET], ['doctor', SECRET]]) {
    t.match(messageOf(() => commandOf(args, ENVIRONMENT)), /^(?:unknown command )?"a-se…"/)
  }
})

t.test('colors depend on the terminal, NO_COLOR and FORCE_COLOR', async t => {
  const stream = (isTTY: boolean) => ({ isTTY, hasColors: () => true }) as NodeJS.WriteStream
  const cases: Array<[isTTY: boolean, environment: NodeJS.ProcessEnv, expected: boolean]> = [
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false]
  ]
  for (const [isTTY, environment, expected] of cases) {
    t.equal(Boolean(hasColors(stream(isTTY), environment)), expected, JSON.stringify([isTTY, environment]))
  }
})

const findings: DoctorFinding[] = [
  { code: 'SERVER', status: 'ok', title: 'The document server', evidence: 'It answers.' },
  { code: 'CLOCK_SKEW', status: 'warning', title: 'Clocks', evidence: 'Ahead.', remedy: 'Set it.' },
  {
    code: 'SECRET_INBOX',
    status: 'error',
    title: 'The document server rejects our tokens',
    evidence: `Error 6. ${'many words '.repeat(20)}`,
    remedy: `Compare the secrets. ${'a'.repeat(120)}`
  }
]
const report = { healthy: false, findings, startedAt: '2026-01-01T00:00:00.000Z', duration: 1234 }

t.test('the text begins with what is wrong, the remedy before the evidence, and ends with the verdict', async t => {
  const text = renderText(report, { color: false, width: 60 })
  const order = [
    '✗ ERROR The document server rejects our tokens',
    'Fix:  Compare the secrets.',
    'Seen: Error 6.',
    '! WARNING Clocks [CLOCK_SKEW]',
    '✓ The document server [SERVER]',
    'Not healthy: 1 error, 1 warning, 1 ok, in 1.2 s'
  ].map(part => text.indexOf(part))
  t.ok(order.every(position => position >= 0), text)
  t.same(order, [...order].sort((a, b) => a - b))
  t.ok(text.split('\n').every(line => line.length <= 60 || line.includes('aaa')), 'lines end at spaces; a word that is too long stays whole')
  t.match(text, 'a'.repeat(120))
  t.ok(renderText(report, { color: false, width: 10 }).split('\n').some(line => line.length > 20), 'a terminal cannot be too narrow')
})

t.test('checks that were skipped for one reason are one item', async t => {
  const skipped = (code: string, evidence: string): DoctorFinding => ({ code, status: 'skipped', title: `Title of ${code}`, evidence })
  const many = [skipped('A', 'No server.'), findings[0]!, skipped('B', 'No server.'), skipped('C', 'No reason.')]
  const text = renderText({ ...report, findings: many }, { color: false, width: 80 })
  t.match(text, '– Title of A [A]; Title of B [B]\n  No server.\n✓ The document server [SERVER]\n  It answers.\n– Title of C [C]\n  No reason.\n')
})

t.test('without color the text has no control characters, whatever the findings contain', async t => {
  const evidence = 'a\u001b[31mred\u001b[0m \u001b]0;title\u0007 b\rc\u009b31m \u202egnp.exe\ud800'
  const text = renderText({ ...report, findings: [{ ...findings[0]!, evidence, title: evidence }] }, { color: false, width: 80 })
  t.notMatch(text.replaceAll('\n', ''), /[\p{Cc}\u202e]/u)
  const colored = renderText({ ...report, findings: [{ ...findings[0]!, evidence }] }, { color: true, width: 80 })
  t.match(colored, '\u001b[32m✓\u001b[39m')
  t.notMatch(colored, '\u001b]0;')
})

/** Of the error that a function throws. */
function messageOf (call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it threw nothing')
}
