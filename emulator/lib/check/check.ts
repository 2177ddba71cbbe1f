import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../types/clock.js'
import { createDocumentServer } from '../create.js'
import { createTime, systemClock } from '../protocol/clock/time.js'
import { purposes } from '../protocol/tokens/purpose.js'
import { createTokens } from '../protocol/tokens/tokens.js'
import { hostOf } from './host.js'
import { startRecorder } from './recorder.js'
import { scenarios } from './all-scenarios.js'
import { type Environment, startTrial } from './trial.js'
import { type CheckOptions, Failure, NotCheckable, type Outcome, type Scenario, Skip } from './types.js'

const PAGE = 'https://github.com/fastify-onlyoffice/fastify-onlyoffice/blob/main/emulator/docs/document-server-protocol'
const SCENARIO_WITHIN_MS = 40_000
/** Each answer may take its time, but not all of them. */
const CHECK_WITHIN_MS = 10 * 60_000
/** Without these nothing else says anything. */
const FIRST: ReadonlySet<string> = new Set(['config-opens', 'download', 'save'])
const TEXTS = /^(txt|csv|md|html?|xml|json|log)$/

interface Listeners {
  /** Called with the URL of the document server. */
  readonly onStart?: (url: string) => void
  /** Called after each scenario. */
  readonly onOutcome?: (outcome: Outcome) => void
}

/**
 * Plays the scenarios against a host, one after another, with a document server of its own.
 *
 * @throws {NotCheckable} if the URLs do not give a configuration and a content.
 * @throws {Error} of `createDocumentServer()`
 */
export async function check (
  options: CheckOptions,
  { onStart = () => {}, onOutcome = () => {} }: Listeners = {}
): Promise<readonly Outcome[]> {
  const chosen = options.only.length === 0 ? scenarios : scenarios.filter(({ id }) => options.only.includes(id))
  const numberOf = (scenario: Scenario) => options.configUrl.includes('{n}') ? scenarios.indexOf(scenario) + 1 : 1
  const otherThan = (n: number) => options.configUrl.includes('{n}') ? n % scenarios.length + 1 : n

  let isSlow = false
  const clock: Clock = {
    now: Date.now,
    // Retries and lost connections need not be waited for; the longer times are limits.
    setTimer: (ms, callback) => systemClock.setTimer(ms <= 5000 && !isSlow ? ms / 50 : ms, callback)
  }
  const server = await createDocumentServer({
    ...options.server,
    jwtSecret: options.secrets,
    clock,
    libreOffice: false,
    services: { page: false }
  })
  const recorder = await startRecorder(options.server.host ?? '127.0.0.1')
  const tokensOf = (jwtSecret: string) => createTokens({ jwtSecret }, purposes('off'), createTime(systemClock))
  const environment: Omit<Environment, 'host'> = {
    server,
    recorder,
    tokens: tokensOf(options.secrets[0]!),
    strangers: tokensOf(`not ${options.secrets[0]}`),
    tokenHeader: options.server.authorizationHeader ?? 'Authorization',
    async slowly (task) {
      isSlow = true
      try {
        return await task()
      } finally {
        isSlow = false
      }
    }
  }

  const outcomes: Outcome[] = []
  const endsAt = performance.now() + CHECK_WITHIN_MS

  function whyNot (): string | undefined {
    const failed = outcomes.find(({ id, result }) => result === 'failed' && FIRST.has(id))
    return failed && `the scenario ${failed.id} has failed`
  }

  async function tried (scenario: Scenario): Promise<Pick<Outcome, 'result' | 'expected' | 'seen' | 'reason'>> {
    const reason = whyNot()
    if (reason !== undefined) return { result: 'skipped', reason }
    if (performance.now() > endsAt) {
      const expected = `an end of the check within ${CHECK_WITHIN_MS / 60_000} minutes`
      return { result: 'failed', expected, seen: 'a host too slow for it' }
    }
    const n = numberOf(scenario)
    const ending = new AbortController()
    const played = play({ ...environment, host: hostOf(options, ending.signal) }, scenario, n, otherThan(n))
    const ended = new AbortController()
    const tooLate = delay(SCENARIO_WITHIN_MS, true, { signal: ended.signal })
    try {
      if (await Promise.race([played, tooLate]) !== true) return { result: 'passed' }
      isSlow = false
      ending.abort()
      await server.crash() // ends all other requests to the host
      await server.restart({ sessions: 'lost' })
      await played.catch(() => {})
      const expected = `an end within ${SCENARIO_WITHIN_MS / 1000} s`
      return { result: 'failed', expected, seen: 'the host has not answered' }
    } catch (error) {
      if (error instanceof Skip) return { result: 'skipped', reason: error.message }
      const { expected, seen } = error instanceof Failure ? error : new Failure('no error', (error as Error).message)
      return { result: 'failed', expected, seen }
    } finally {
      ended.abort()
      tooLate.catch(() => {})
    }
  }

  try {
    await requireCheckable(hostOf(options, new AbortController().signal), numberOf(chosen[0]!))
    onStart(server.url)
    for (const scenario of chosen) {
      const { run, source: [heading, statement], ...described } = scenario
      const outcome = { ...described, source: `${PAGE}.md#${heading}`, statement, ...await tried(scenario) }
      outcomes.push(outcome)
      onOutcome(outcome)
    }
  } finally {
    await server.close()
    recorder.close()
  }
  return outcomes
}

async function play (environment: Environment, scenario: Scenario, n: number, other: number): Promise<void> {
  const trial = await startTrial(environment, n, other)
  try {
    await scenario.run(trial)
  } finally {
    await trial.end()
  }
}

/** Whether the URLs give what the scenarios need. */
async function requireCheckable (host: Environment['host'], n: number): Promise<void> {
  try {
    const { signed } = await host.config(n)
    const content = await host.content(n)
    const fileType = String(signed.document?.fileType)
    if (!/^(PK|%PDF-)/.test(content.subarray(0, 5).toString('latin1')) && !TEXTS.test(fileType)) {
      throw new NotCheckable(
        `a document of the format ${fileType} with ${content.length} bytes can't be altered: ` +
        'use a .txt, or a .docx, .xlsx or .pptx that is not empty'
      )
    }
  } catch (error) {
    if (error instanceof Failure) throw new NotCheckable(`expected ${error.expected}; seen: ${error.seen}`)
    throw error
  }
}
