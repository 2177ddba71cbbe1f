import type { DoctorFinding, DoctorOptions, DoctorReport } from '../../types/doctor.js'
import { createQueue } from '../util/queue.js'
import { AnyString, assertOptions, Milliseconds, type Rules, Signal } from '../util/validate.js'
import { unlessAborted } from '../util/with-timeout.js'
import type { SetUp } from './examination.js'
import { confidential, isError, redactor } from './findings.js'

type Doctor = (options?: DoctorOptions) => Promise<DoctorReport>

interface Dependencies extends SetUp {
  /** Explains why a document does not open. */
  readonly explainOpening: (fileId: string) => Promise<readonly DoctorFinding[]>
}

const rules: Rules<DoctorOptions> = { fileId: AnyString, timeout: Milliseconds, signal: Signal }

const DEFAULT_TIMEOUT_MS = 60_000

/** Each process runs one examination at a time, because it sends a large request and may wait for slow servers. */
const turns = createQueue()

/** Examines a set-up. Simultaneous calls share one examination. */
export function createDoctor (dependencies: Dependencies): Doctor {
  const { settings, explainOpening, signal: closing } = dependencies
  const redact = redactor(confidential(settings))
  let underWay: Promise<DoctorReport> | undefined

  return async function examineSetUp (options = {}) {
    assertOptions(rules, options)
    const { fileId, timeout = DEFAULT_TIMEOUT_MS, signal } = options
    const stop = signal ? AbortSignal.any([signal, closing]) : closing
    stop.throwIfAborted()
    underWay ??= turns.run('', async () => await runExamination(dependencies, timeout)).finally(() => {
      underWay = undefined
    })
    const report = await unlessAborted(underWay, stop)
    if (fileId === undefined) return report
    const explained = (await explainOpening(fileId)).map(redact)
    const findings = [...report.findings, ...explained]
    return { ...report, findings, healthy: report.healthy && !explained.some(isError) }
  }
}

/** Loads the checks late: most applications never run the doctor. */
async function runExamination (setUp: SetUp, timeout: number): Promise<DoctorReport> {
  const { examine } = await import('./examination.js')
  return await examine(setUp, timeout)
}
