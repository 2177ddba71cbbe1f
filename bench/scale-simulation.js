// Simulates a working day of 100,000 editors, and counts what reaches the application and the object store. It draws
// random numbers from a fixed seed, so that it prints the same every time. bench/scale.md explains the model and
// discusses the results.

const HOUR = 3600
const MINUTE = 60
const KB = 1000
const MB = KB ** 2
const TB = KB ** 4

/** Seconds and bytes. */
const PARAMETERS = {
  seed: 16,
  editorsAtOnce: 100_000,
  /** Documents are opened at this share of the full rate, by the hour of the day; linear in between. */
  day: [[7.5, 0], [9, 1], [12, 1], [12.5, 0.5], [13.5, 1], [16.5, 1], [18, 0]],
  /** So many editors open a document within five minutes, beside the others: the start of meetings. */
  rush: { at: 9.5 * HOUR, editors: 20_000, within: 5 * MINUTE },
  /** How many editors open a document in one sitting: [share of sittings, from, to]. */
  editorsPerDocument: [[0.75, 1, 1], [0.15, 2, 2], [0.07, 3, 5], [0.03, 6, 20]],
  /** Until another editor of the same sitting comes. Exponential. */
  meanDelay: 5 * MINUTE,
  /** How long an editor stays. Log-normal. */
  meanStay: 20 * MINUTE,
  staySpread: 1,
  /** Share of editors who change something. */
  changing: 0.6,
  /** Between force saves of a document that is being changed, by the document server's timer; it is off by default. */
  forceSaveInterval: Number(process.env.FORCE_SAVE_MINUTES ?? 10) * MINUTE,
  /** Log-normal. */
  medianSize: 80 * KB,
  sizeSpread: 1.6,
  maxSize: 100 * MB,
  changesSize: 20 * KB,
  workingDays: 21
}

/** Requests to the store, with `redirectDownloads` and `versions`: test/s3/plugin-requests.long.test.ts counts them. */
const REQUESTS = {
  opening: { get: 1 },
  download: { get: 1 },
  content: { get: 1 },
  noted: { get: 1, put: 1 },
  notedBefore: { get: 1 },
  save: { get: 1, put: 3 },
  /**
   * Each 16th save moves entries into a new list of older versions; 1.3 deletions of what is superseded or no longer
   * kept.
   */
  housekeeping: { get: 1 / 16, put: 1 / 16, delete: 1.3 }
}
/** A repeated report of a session is not noted for a tenth of `timeouts.session`. */
const NOTED_FOR = 6 * MINUTE

/**
 * Milliseconds of CPU time per operation, as bench/capacity.js measures them. Of a save: 4.6 with three requests, and
 * 0.4 for each of 2.3 more: versions and deletions.
 */
const CPU = { openings: 0.9, downloads: 0.9, callbacks: 1.6, saves: 5.5 }

const { editorsAtOnce, day, rush } = PARAMETERS
const SECONDS = 24 * HOUR
const random = randomNumbers(PARAMETERS.seed)

/** What happens in each second of the day. */
const counters = Object.fromEntries(
  ['openings', 'downloads', 'callbacks', 'saves', 'get', 'put', 'delete', 'written', 'read'].map(
    name => [name, new Float64Array(SECONDS)]
  )
)
const editors = new Int32Array(SECONDS)
let sessions = 0

const meanEditors = PARAMETERS.editorsPerDocument.reduce(
  (sum, [share = 0, from = 0, to = 0]) => sum + share * (from + to) / 2,
  0
)
const fullRate = editorsAtOnce / PARAMETERS.meanStay / meanEditors
for (let time = 0; time < SECONDS; time++) {
  const extra = time >= rush.at && time < rush.at + rush.within ? rush.editors / rush.within / meanEditors : 0
  for (let count = poisson(fullRate * shareAt(time) + extra); count > 0; count--) sitting(time + random())
}
report()

/**
 * Editors open one document at about the same time.
 * @param {number} start
 */
function sitting (start) {
  const size = Math.min(PARAMETERS.medianSize * Math.exp(PARAMETERS.sizeSpread * normal()), PARAMETERS.maxSize)
  const visits = []
  for (let count = editorsOfSitting(), at = start; count > 0; count--) {
    visits.push({ from: at, to: at + stay(), changes: random() < PARAMETERS.changing })
    at += -Math.log(1 - random()) * PARAMETERS.meanDelay
  }
  for (const { from, to } of visits) {
    happens('openings', from, [REQUESTS.opening])
    for (let second = Math.floor(from); second < Math.min(to, SECONDS); second++) {
      editors[second] = (editors[second] ?? 0) + 1
    }
  }
  // An editing session lasts as long as anybody is there.
  let present = []
  let end = -Infinity
  for (const visit of visits) {
    if (visit.from > end && present.length > 0) {
      session(present, end, size)
      present = []
    }
    present.push(visit)
    end = Math.max(end, visit.to)
  }
  session(present, end, size)
}

/**
 * @param {Array<{ from: number, to: number, changes: boolean }>} visits
 * @param {number} end
 * @param {number} size
 */
function session (visits, end, size) {
  sessions++
  const start = visits[0]?.from ?? 0
  happens('downloads', start, [REQUESTS.download, REQUESTS.content], { read: size })
  let notedAt = -Infinity
  for (const at of visits.flatMap(({ from, to }) => to < end ? [from, to] : [from]).sort((a, b) => a - b)) {
    const isNoted = at - notedAt < NOTED_FOR
    happens('callbacks', at, [isNoted ? REQUESTS.notedBefore : REQUESTS.noted])
    if (!isNoted) notedAt = at
  }
  const changing = visits.filter(({ changes }) => changes)
  for (let at = start + PARAMETERS.forceSaveInterval; at < end; at += PARAMETERS.forceSaveInterval) {
    const since = at - PARAMETERS.forceSaveInterval
    if (changing.some(({ from, to }) => from < at && to > since)) save(at, size)
  }
  if (changing.length > 0) save(end, size)
  else happens('callbacks', end, [REQUESTS.noted])
}

/**
 * @param {number} at
 * @param {number} size
 */
function save (at, size) {
  happens('saves', at, [REQUESTS.save, REQUESTS.housekeeping], { written: size + PARAMETERS.changesSize })
}

/**
 * @param {string} what
 * @param {number} at
 * @param {Array<{ get?: number, put?: number, delete?: number }>} requests
 * @param {{ written?: number, read?: number }} [bytes]
 */
function happens (what, at, requests, bytes = {}) {
  const second = Math.floor(at)
  if (second >= SECONDS) return
  count(what, second, 1)
  for (const one of requests) for (const [method, times] of Object.entries(one)) count(method, second, times)
  for (const [direction, number] of Object.entries(bytes)) count(direction, second, number)
}

/**
 * @param {string} name
 * @param {number} second
 * @param {number} by
 */
function count (name, second, by) {
  const counter = counters[name]
  if (counter) counter[second] = (counter[second] ?? 0) + by
}

function report () {
  console.log(`${sum('openings')} openings of documents and ${sessions} editing sessions in a day; at most ${Math.max(...editors)} editors at once`)
  console.log('| | a day | a second, busiest hour | busiest minute | busiest second |\n|---|---|---|---|---|')
  for (const name of ['openings', 'downloads', 'callbacks', 'saves', 'get', 'put', 'delete']) {
    console.log(`| ${name} | ${sum(name).toFixed(0)} | ${busiest(name, HOUR).toFixed(0)} | ${busiest(name, MINUTE).toFixed(0)} | ${busiest(name, 1).toFixed(0)} |`)
  }
  for (const name of ['written', 'read']) {
    console.log(`| MB ${name} | ${(sum(name) / MB).toFixed(0)} | ${(busiest(name, HOUR) / MB).toFixed(0)} | ${(busiest(name, MINUTE) / MB).toFixed(0)} | ${(busiest(name, 1) / MB).toFixed(0)} |`)
  }
  const cores = (/** @type {number} */ seconds) =>
    Object.entries(CPU).reduce((sum, [name, milliseconds]) => sum + busiest(name, seconds) * milliseconds / 1000, 0)
  console.log(`CPU of the application: ${cores(HOUR).toFixed(1)} cores in the busiest hour, ${cores(MINUTE).toFixed(1)} in the busiest minute, ${cores(1).toFixed(1)} in the busiest second`)
  const month = (/** @type {string} */ name) => sum(name) * PARAMETERS.workingDays
  console.log(`A month: ${(month('get') / 1e6).toFixed(0)} million GET, ${(month('put') / 1e6).toFixed(0)} million PUT, ${(month('delete') / 1e6).toFixed(0)} million DELETE; ` +
    `${(month('written') / TB).toFixed(1)} TB written, ${(month('read') / TB).toFixed(1)} TB read`)
}

/** @param {string} name */
function sum (name) {
  let total = 0
  for (const one of counters[name] ?? []) total += one
  return total
}

/**
 * The highest mean of so many seconds.
 * @param {string} name
 * @param {number} seconds
 */
function busiest (name, seconds) {
  const values = counters[name] ?? []
  let highest = 0
  let current = 0
  values.forEach((value, second) => {
    current += value - (values[second - seconds] ?? 0)
    highest = Math.max(highest, current)
  })
  return highest / seconds
}

/** @param {number} time */
function shareAt (time) {
  const hour = time / HOUR
  const next = day.findIndex(([at = 0]) => at > hour)
  if (next <= 0) return 0
  const [fromHour = 0, from = 0] = day[next - 1] ?? []
  const [toHour = 0, to = 0] = day[next] ?? []
  return from + (to - from) * (hour - fromHour) / (toHour - fromHour)
}

function editorsOfSitting () {
  let left = random()
  for (const [share = 0, from = 1, to = 1] of PARAMETERS.editorsPerDocument) {
    left -= share
    if (left < 0) return from + Math.floor(random() * (to - from + 1))
  }
  return 1
}

function stay () {
  const { meanStay, staySpread } = PARAMETERS
  return meanStay * Math.exp(staySpread * normal() - staySpread ** 2 / 2)
}

function normal () {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** @param {number} mean */
function poisson (mean) {
  if (mean === 0) return 0
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()))
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}

/**
 * Evenly distributed from 0 to 1 (mulberry32).
 * @param {number} state
 */
function randomNumbers (state) {
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
