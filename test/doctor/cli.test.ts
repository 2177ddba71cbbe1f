import t from 'tap'
import { hasColors } from '../../lib/cli/doctor.js'
import { commandOf, HELP } from '../../lib/cli/options.js'
import { renderText } from '../../lib/doctor/render-text.js'
import type { DoctorFinding } from '../../types/doctor.js'
import { SECRET } from '../kit/document-server.js'

const ENVIRONMENT = { JWT_SECRET: SECRET, OTHER: 'another-secret-0123456789-abcdefghij', EMPTY: '' }
const REQUIRED = ['doctor', '--editor-api-url', 'https://docs.example.com/web-apps/apps/api/documents/api.js', '--public-base-url', 'https://app.example.com']
const parse = (...args: string[]) => commandOf([...REQUIRED, ...args], ENVIRONMENT)

t.test('the options of the command become options of the plugin', async t => {
  t.match(parse(), {
    type: 'doctor',
    plugin: { editorApiUrl: /api\.js$/, publicBaseUrl: 'https://app.example.com', jwtSecret: SECRET },
    listen: undefined,
    timeout: undefined,
    json: false
  })
  t.match(
    parse(
      '--jwt-secret-env',
      'OTHER',
      '--internal-url=http://documentserver',
      '--path',
      '/editor',
      '--profile',
      'classic',
      '--authorization-header',
      'X-Token',
      '--authorization-prefix',
      '',
      '--storage',
      'dir',
      '--ca',
      'ca.pem',
      '--file-id',
      'report',
      '--timeout',
      '2.5',
      '--json',
      '--no-color'
    ),
    {
      plugin: {
        jwtSecret: ENVIRONMENT.OTHER,
        path: '/editor',
        profile: 'classic',
        documentServer: {
          internalUrl: 'http://documentserver',
          authorizationHeader: 'X-Token',
          authorizationPrefix: ''
        }
      },
      storageDirectory: 'dir',
      caFile: 'ca.pem',
      fileId: 'report',
      timeout: 2500,
      json: true,
      noColor: true
    }
  )
  for (
    const [value, expected] of [['none', 'none'], ['3000', { port: 3000 }], ['127.0.0.1:80', {
      host: '127.0.0.1',
      port: 80
    }], ['[::1]:0', { host: '::1', port: 0 }]] as const
  ) {
    t.same((parse('--listen', value) as { listen: unknown }).listen, expected)
  }
})

t.test('help and version need nothing else', async t => {
  for (const args of [['--help'], ['-h'], ['help'], ['doctor', '--help']]) t.same(commandOf(args, {}), { type: 'help' })
  for (const args of [['--version'], ['version']]) t.same(commandOf(args, {}), { type: 'version' })
})

t.test('the help names every option and exit code, in lines that fit', async t => {
  for (
    const name of [
      'editor-api-url',
      'public-base-url',
      'jwt-secret-env',
      'internal-url',
      'path',
      'profile',
      'authorization-header',
      'authorization-prefix',
      'storage',
      'ca',
      'file-id',
      'listen',
      'timeout',
      'json',
      'no-color',
      'help',
      'version'
    ]
  ) {
    t.match(HELP, new RegExp(`^ {2}(?:-h, )?--${name} `, 'm'))
  }
  t.match(HELP, /Exit codes: 0 .* 1 .* 2 .* 130/)
  t.ok(HELP.split('\n').every(line => line.length <= 125))
})

t.test('wrong usage is explained, and a typo gets the nearest name', async t => {
  const wrong: Array<[args: string[], message: RegExp]> = [
    [[], /^name a command: doctor$/],
    [['docter'], /^unknown command "docter": did you mean doctor\?$/],
    [['xyz'], /^unknown command "xyz"$/],
    [['doctor'], /^--editor-api-url is missing$/],
    [['doctor', '--editor-api-url', 'http://x/api.js'], /^--public-base-url is missing$/],
    [[...REQUIRED, '--public-url', 'x'], /^unknown option --public-url: did you mean --public-base-url\?$/],
    [[...REQUIRED, '--editor-url=x'], /^unknown option --editor-url: did you mean --editor-api-url\?$/],
    [[...REQUIRED, '--jsno'], /^unknown option --jsno: did you mean --json\?$/],
    [[...REQUIRED, '--nocolor'], /: did you mean --no-color\?$/],
    [[...REQUIRED, '--jwt-secret', SECRET], /^unknown option --jwt-secret: did you mean --jwt-secret-env\?$/],
    [[...REQUIRED, '--qqqqqqqqqqqq'], /^unknown option --qqqqqqqqqqqq$/],
    [[...REQUIRED, '-x'], /^unknown option -x/],
    [[...REQUIRED, '--timeout'], /'--timeout <value>' argument missing/],
    [[...REQUIRED, '--timeout', '0'], /^--timeout must be a number of seconds up to 3600, not "0"$/],
    [[...REQUIRED, '--timeout', '1e3'], /^--timeout /],
    [[...REQUIRED, '--listen', '70000'], /^--listen must be a port, HOST:PORT or none/],
    [[...REQUIRED, '--listen', 'somewhere'], /^--listen /],
    [[...REQUIRED, '--profile', 'strict'], /^--profile must be secure or classic, not "strict"$/],
    [[...REQUIRED, '--storage', ' '], /^--storage must not be empty$/],
    [[...REQUIRED, '--file-id', 'x'], /^--file-id needs --storage$/],
    [[...REQUIRED, 'more'], /^"more" is neither an option nor the value of one$/],
    [[...REQUIRED, '--jwt-secret-env', 'EMPTY'], /^--jwt-secret-env names an environment variable that is not set or empty/]
  ]
  for (const [args, message] of wrong) t.throws(() => commandOf(args, ENVIRONMENT), { message }, args.slice(-2).join(' '))
})

t.test('whoever gives the secret in place of a name does not see it printed', async t => {
  for (const args of [['--jwt-secret-env', SECRET], ['--jwt-secret', SECRET], [`--jwt-secret=${SECRET}`]]) {
    let message = ''
    try {
      parse(...args)
    } catch (error) {
      message = (error as Error).message
    }
    t.match(message, '--jwt-secret')
    t.notOk(message.includes(SECRET))
  }
})

t.test('nor does whoever gives it where nothing is expected', async t => {
  for (const args of [[SECRET], [...REQUIRED, SECRET]]) t.throws(() => commandOf(args, ENVIRONMENT), { message: /^(?:unknown command )?"a-se…"/ })
})

t.test('colors depend on the terminal, NO_COLOR, FORCE_COLOR and the option', async t => {
  const stream = (isTTY: boolean) => ({ isTTY, hasColors: () => true }) as NodeJS.WriteStream
  const cases: Array<[isTTY: boolean, noColor: boolean, environment: NodeJS.ProcessEnv, expected: boolean]> = [
    [true, false, {}, true],
    [false, false, {}, false],
    [true, true, {}, false],
    [true, false, { NO_COLOR: '1' }, false],
    [true, false, { NO_COLOR: '' }, true],
    [false, false, { FORCE_COLOR: '1' }, true],
    [true, false, { FORCE_COLOR: '0' }, false],
    [false, true, { FORCE_COLOR: '1' }, false]
  ]
  for (const [isTTY, noColor, environment, expected] of cases) {
    t.equal(
      Boolean(hasColors(stream(isTTY), { noColor, environment })),
      expected,
      JSON.stringify([isTTY, noColor, environment])
    )
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
