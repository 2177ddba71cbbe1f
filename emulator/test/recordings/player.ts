import type { Test } from 'tap'
import { createDocumentServer, type DocumentServer } from '../../lib/index.js'
import { normalizer } from './allowed.js'
import { send, type Sent, toHost } from './calls.js'
import { createEditors } from './editors.js'
import { startHost } from './host.js'
import { answerEntry, type Entry, forgottenEntry, type Log, recordedLog } from './log.js'
import { unordered } from './order.js'
import {
  type CallStep, type ClientStep, isCall, isRequest, isUnanswered, RECORDED, type Recording, SECRET
} from './recording.js'
import { TICK_MS, virtualTime } from './virtual-time.js'

// How much longer than recorded an answer is waited for, before it is missing.
const PATIENCE_MS = 1500
// What is still seen after the last step.
const END_MS = 500

/** Plays a recording against the emulator: the same editors, commands and answers of the host at the same times. */
export async function play (t: Test, recording: Recording): Promise<Log> {
  const time = virtualTime(recording.startedAt)
  const exchanges: Entry[] = []
  const forgotten: Entry[] = []
  const host = await startHost(t, recording, time, entry => exchanges.push(entry))
  const server = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, clock: time.clock })
  t.teardown(async () => { await Promise.all([server.close(), time.runOut()]) })
  const editors = createEditors(server, host.origin, time.now)
  const origins = { host: host.origin, server: server.url }
  const conditions = createConditions(server)

  const steps = recording.steps.filter(step => step.kind !== 'editor' && step.kind !== 'request' && !isUnanswered(step, recording.steps))
  let underWay: Array<() => Promise<void>> = []
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'editor' || step.kind === 'request') continue
    const next = steps[index + 1]
    await time.moveTo(step.at, editors.look)
    if (step.kind === 'database') {
      forgotten.push(forgottenEntry(time.now(), step.key, server.forgotten.has(step.key)))
    } else if (isCall(step)) {
      underWay.push(await call(step))
      if (next !== undefined && isCall(next) && next.at < step.at + step.answer.took) continue // at the same moment
      for (const finish of underWay) await finish()
      underWay = []
    } else if (!conditions(step)) {
      await editors.act(step)
    }
    // Editors who close in the same instant do it before anything follows from the first.
    if (next?.kind !== 'client' || next.at !== step.at) await time.settle(editors.look)
  }
  const end = Math.max(...recording.steps.map(step => step.at + (isRequest(step) && typeof step.answer === 'object' ? step.answer.took ?? 0 : 0))) + END_MS
  await time.moveTo(end, editors.look)
  for (const user of editors.running()) exchanges.push({ at: end, name: `still under way: ${user}`, value: null })

  /** Resolves when the call has arrived, to a function that waits for its answer. */
  async function call (step: CallStep): Promise<() => Promise<void>> {
    const working = time.nextWork()
    const sent = await send(server, announced(step.request.path), toHost(step.request, host.origin))
    // Its place among the requests is where it was answered, not where it was read.
    const place = sent.answered.then(() => exchanges.push({ at: time.now(), name: '', value: null }) - 1)
    if (step.kind === 'command' || step.kind === 'conversion') await Promise.race([working, place])
    return async () => await finish(step, sent, place)
  }

  async function finish (step: CallStep, sent: Sent, place: Promise<number>): Promise<void> {
    if (step.kind === 'command' || step.kind === 'conversion') {
      const missing = step.at + step.answer.took + PATIENCE_MS
      await time.settle(editors.look)
      while (!sent.isAnswered() && time.now() < missing) await time.moveTo(time.now() + TICK_MS, editors.look)
      if (!sent.isAnswered()) return sent.giveUp()
    }
    const answer = await sent.answer
    const index = await place
    exchanges[index] = answerEntry(exchanges[index]!.at, step.request, answer)
  }

  /** The address that the emulator gave where the recorded server gave this one. */
  function announced (path: string): string {
    if (!path.startsWith('/cache/')) return path
    const [signature] = /(?<=md5=)[^&]*/.exec(path) ?? ['']
    const recorded = normalizer(RECORDED)
    const known = urlsIn(recordedLog(recording).exchanges, RECORDED.server).map(url => [url, recorded(url, '', null).text] as const)
    const played = normalizer(origins)
    const ours = new Map(urlsIn(exchanges, origins.server).map(url => [played(url, '', null).text, url]))
    const wanted = known.find(([url]) => withoutSignature(url) === withoutSignature(`${RECORDED.server}${path}`))
    const found = wanted === undefined ? undefined : ours.get(wanted[1])
    if (found === undefined) throw new TypeError(`Nobody has been told of ${path}`)
    const own = found.slice(origins.server.length)
    return signature === 'bad' ? own.replace(/(?<=md5=)[^&]*/, signature) : own
  }

  return { origins, exchanges: unordered(exchanges), events: editors.events, forgotten }
}

function urlsIn (exchanges: readonly Entry[], server: string): string[] {
  const urls: string[] = []
  JSON.stringify(exchanges, (name, value: unknown) => {
    if (typeof value === 'string' && value.startsWith(`${server}/cache/`)) urls.push(value)
    return value
  })
  return urls
}

function withoutSignature (url: string): string {
  return url.replace(/md5=[^&]*&expires=\d*/, '')
}

/** What the tester did to the converter. Says whether the step was that. */
function createConditions (server: DocumentServer): (step: ClientStep) => boolean {
  let mend = () => {}
  return ({ action, ms = 0 }) => {
    switch (action) {
      case 'assembly fails': mend = server.fault('assembly', { type: 'fail' }, { times: Infinity }); return true
      case 'assembly corrupts': mend = server.fault('assembly', { type: 'fail', corrupted: true }, { times: Infinity }); return true
      case 'assembly takes': server.fault('assembly', { type: 'slow', ms }); return true
      case 'conversion fails': mend = server.fault('conversion', { type: 'error', error: -3 }, { times: Infinity }); return true
      case 'conversion takes': mend = server.fault('conversion', { type: 'slow', ms }, { times: Infinity }); return true
      case 'assembly works':
      case 'conversion works': mend(); return true
      // The protocol's own way to let a second editor in.
      case 'co-editing': return true
      default: return false
    }
  }
}
