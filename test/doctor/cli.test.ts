import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { styleText } from 'node:util'
import t from 'tap'
import { commandOf } from '../../lib/cli/options.js'
import { renderText } from '../../lib/doctor/render.js'
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

t.test('wrong usage is explained, and an unknown name gets the known ones', async t => {
  const wrong: Array<[args: string[], message: RegExp]> = [
    [[], /^name a command: doctor$/],
    [['docter'], /^unknown command "docter": use doctor$/],
    [['xyz'], /^unknown command "xyz": use doctor$/],
    [['doctor', '--public-url', 'x'], /^unknown option --public-url: use --.*--public-base-url/],
    [['doctor', '--editor-url=x'], /^unknown option --editor-url: use --.*--editor-api-url/],
    [['doctor', '--qqqqqqqqqqqq'], /^unknown option --qqqqqqqqqqqq: use --/],
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
    t.match(messageOf(() => commandOf(args, ENVIRONMENT)), /^unknown option --jwt-secret: use [-a-z, ]+$/)
  }
  for (const args of [[SECRET], ['doctor', SECRET]]) {
    t.match(messageOf(() => commandOf(args, ENVIRONMENT)), /^(?:unknown command )?"a-se…"/)
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
const report = { healthy: false, findings, startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1234 }

t.test('the text begins with what is wrong, the remedy before the evidence, and ends with the verdict', async t => {
  const text = renderText(report)
  const order = [
    '✗ The document server rejects our tokens', 'Fix:  Compare the secrets.', 'Seen: Error 6.',
    '! Clocks [CLOCK_SKEW]', '✓ The document server [SERVER]', 'Not healthy: 1 error, 1 warning, 1 ok, in 1234 ms'
  ].map(part => text.indexOf(part))
  t.ok(order.every(position => position >= 0), text)
  t.same(order, [...order].sort((a, b) => a - b))
})

t.test('without color the text has no control characters, whatever the findings contain', async t => {
  const evidence = 'a\u001b[31mred\u001b[0m \u001b]0;title\u0007 b\rc\u009b31m \u202egnp.exe\ud800'
  const text = renderText({ ...report, findings: [{ ...findings[0]!, evidence, title: evidence }] })
  t.notMatch(text.replaceAll('\n', ''), /[\p{Cc}\u202e]/u)
  const colored = renderText({ ...report, findings: [{ ...findings[0]!, evidence }] }, (style, text) => styleText(style, text, { validateStream: false }))
  t.match(colored, '\u001b[32m✓ ')
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
