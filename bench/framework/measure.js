// How rows are measured: every candidate in fresh processes, in rounds that take turns.
import { median, rangeOf } from './statistics.js'

/** @typedef {import('./program.js').Usage} Usage */
/** @typedef {import('./statistics.js').Range} Range */
/**
 * @typedef {object} Mode
 * @property {'full' | 'quick'} name
 * @property {number} processes of each candidate
 * @property {number} rounds
 * @property {number} seconds of a round
 * @property {number} warmUp the share of a row's warm-up
 */

/** How long a round is: at least one operation. @typedef {{ seconds: number } | { operations: number }} Length */
/**
 * What one round did. `cpu` and `rss`: of programs that measure themselves.
 * @typedef {{ operations: number, seconds: number, cpu?: number, rss?: number }} Round
 */
/**
 * A candidate that has been started.
 * @typedef {object} Running
 * @property {(length: Length) => Promise<Round>} round repeats the operation
 * @property {() => Promise<Usage>} [usage] of the measured process
 * @property {() => Promise<void>} [check] rejects if the work was not done
 * @property {() => Promise<void>} stop
 */
/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {string} does what it does, and what it does not do: stands beside its figure
 * @property {number} [goal] how many times as fast as this candidate the plugin has to be
 * @property {(folder: string) => Promise<Running>} start the folder is temporary
 */
/**
 * The plugin beside others. The first candidate is the plugin.
 * @typedef {object} Comparison
 * @property {string} name
 * @property {string} title
 * @property {boolean} [long] only in a full run
 * @property {'cpu' | 'time'} [judgedBy] which ratio the goal is for; by default that of the CPU time, because the load
 *   is slower than the fastest servers
 * @property {false} [checked] whether `--check` measures it
 * @property {number} warmUp so many operations are not counted: V8 compiles code by how often it has run, not by how
 *   long
 * @property {number} [processes] of each candidate, if not as many as usual
 * @property {Candidate[]} candidates
 */
/**
 * Figures without a peer. Those in MB and × are the same on every machine, so `--check` looks at them.
 * @typedef {{ name: string, unit: string, atMost?: number, atLeast?: number }} Figure
 * @typedef {object} Figures
 * @property {string} name
 * @property {string} title
 * @property {boolean} [long]
 * @property {false} [checked]
 * @property {string} does
 * @property {number} [processes] if not as many as usual
 * @property {Record<string, Figure>} figures by the names under which `measure` returns them
 * @property {(mode: Mode, folder: string) => Promise<unknown>} [prepare] once; what it returns is passed to `measure`
 * @property {(mode: Mode, folder: string, prepared: any) => Promise<Record<string, number>>} measure in fresh processes
 */
/** @typedef {Comparison | Figures} Row */

/** @typedef {{ time: Range, cpu: Range, rss: Range }} Sample seconds per operation, CPU seconds per operation, MB */
/** @typedef {{ peer: string, does: string, goal?: number, ours: Sample, theirs: Sample, ratio: Range, cpuRatio: Range, judgedBy: 'cpu' | 'time' }} ComparisonLine */
/** @typedef {Figure & { value: Range }} FigureLine */
/** @typedef {{ title: string, does: string, comparisons: ComparisonLine[], figures: FigureLine[] }} Measured */

/**
 * @param {Row} row
 * @param {Mode} mode
 * @param {string} folder
 * @returns {Promise<Measured>}
 */
export async function measure (row, mode, folder) {
  return 'candidates' in row ? await compare(row, mode, folder) : await takeFigures(row, mode, folder)
}

/**
 * @param {Comparison} row
 * @param {Mode} mode
 * @param {string} folder
 * @returns {Promise<Measured>}
 */
async function compare (row, mode, folder) {
  const { candidates } = row
  /** @type {Map<Candidate, Array<{ time: number, cpu: number, rss: number }>>} */
  const processes = new Map(candidates.map(candidate => [candidate, []]))
  for (let process = 0; process < (row.processes ?? mode.processes); process++) {
    const measured = await measureProcesses(candidates, row.warmUp, mode, `${folder}/${process}`)
    for (const [candidate, sample] of measured) processes.get(candidate)?.push(sample)
  }
  const [plugin, ...peers] = candidates
  if (!plugin) throw new Error(`${row.name} has no candidates`)
  const own = processes.get(plugin) ?? []
  const ours = sampleOf(own)
  return {
    title: row.title,
    does: plugin.does,
    figures: [],
    comparisons: peers.flatMap(peer => {
      const others = processes.get(peer) ?? []
      if (others.length === 0) return []
      const ratios = (/** @type {'time' | 'cpu'} */ what) =>
        rangeOf(own.map((sample, index) => (others[index]?.[what] ?? NaN) / sample[what]))
      return [{
        peer: peer.name,
        does: peer.does,
        ...(peer.goal && { goal: peer.goal }),
        ours,
        theirs: sampleOf(others),
        ratio: ratios('time'),
        cpuRatio: ratios('cpu'),
        judgedBy: row.judgedBy ?? 'cpu'
      }]
    })
  }
}

/**
 * One fresh process of each candidate.
 * @param {Candidate[]} candidates
 * @param {number} warmUp
 * @param {Mode} mode
 * @param {string} folder
 */
async function measureProcesses (candidates, warmUp, mode, folder) {
  /** @type {Map<Candidate, Running>} */
  const running = new Map()
  /** @type {Map<Candidate, Array<{ time: number, cpu: number, rss: number }>>} */
  const samples = new Map()
  try {
    for (const [index, candidate] of candidates.entries()) {
      const started = await candidate.start(`${folder}-${index}`)
      if (started) running.set(candidate, started)
    }
    for (const { round } of running.values()) await round({ operations: Math.max(1, Math.round(warmUp * mode.warmUp)) })
    for (let round = 0; round < mode.rounds; round++) {
      for (const [candidate, started] of running) {
        samples.set(candidate, [...samples.get(candidate) ?? [], await measureRound(started, mode.seconds)])
      }
    }
    for (const { check } of running.values()) await check?.()
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()))
  }
  return [...samples].map(([candidate, taken]) => /** @type {const} */ ([candidate, {
    time: median(taken.map(({ time }) => time)),
    cpu: median(taken.map(({ cpu }) => cpu)),
    rss: Math.max(...taken.map(({ rss }) => rss))
  }]))
}

/**
 * @param {Running} running
 * @param {number} seconds
 */
async function measureRound ({ round, usage }, seconds) {
  const before = await usage?.()
  const done = await round({ seconds })
  const after = await usage?.()
  if (!(done.operations > 0)) throw new Error('a round did nothing')
  const cpu = done.cpu ?? ((after?.cpu ?? NaN) - (before?.cpu ?? NaN))
  return { time: done.seconds / done.operations, cpu: cpu / done.operations, rss: done.rss ?? after?.peakRss ?? NaN }
}

/** @param {Array<{ time: number, cpu: number, rss: number }>} processes */
function sampleOf (processes) {
  return {
    time: rangeOf(processes.map(({ time }) => time)),
    cpu: rangeOf(processes.map(({ cpu }) => cpu)),
    rss: rangeOf(processes.map(({ rss }) => rss))
  }
}

/**
 * @param {Figures} row
 * @param {Mode} mode
 * @param {string} folder
 * @returns {Promise<Measured>}
 */
async function takeFigures ({ title, does, figures, processes, prepare, measure }, mode, folder) {
  const prepared = await prepare?.(mode, folder)
  /** @type {Array<Record<string, number>>} */
  const taken = []
  for (let process = 0; process < (processes ?? mode.processes); process++) {
    taken.push(await measure(mode, `${folder}/${process}`, prepared))
  }
  return {
    title,
    does,
    comparisons: [],
    figures: Object.entries(figures).filter(([key]) => taken.every(values => key in values)).map(([key, figure]) => ({
      ...figure,
      value: rangeOf(taken.map(values => values[key] ?? NaN))
    }))
  }
}
