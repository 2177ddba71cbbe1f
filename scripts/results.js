import { Parser } from 'tap-parser'

/**
 * Of a test that needs what not every machine has, that is not for the storage under test, or that has a command of its
 * own.
 */
const LACKING = /^(This (machine|storage)|only npm run) /
const GROUP = /^\.tap\/groups\/\S+ > /

/**
 * The counts of a run, the same as in tap's last lines, what failed, and what was skipped and why: `lacking` if that is
 * no fault.
 * @param {string} tap
 */
export function readResults (tap) {
  let passed = 0
  /** @type {{ failures: string[], notRun: string[], lacking: string[] }} */
  const { failures, notRun, lacking } = { failures: [], notRun: [], lacking: [] }
  for (const [event, result] of Parser.parse(tap, { flat: true })) {
    if (event !== 'assert') continue
    const { ok, fullname, skip, todo } = result
    const test = fullname.replace(GROUP, '')
    const reason = skip || todo
    if (reason) {
      ;(LACKING.test(String(reason)) ? lacking : notRun).push(
        `${test}: ${reason === true ? 'no reason given' : reason}`
      )
    } else if (ok) passed++
    else failures.push(test)
  }
  return { passed, failures, notRun, lacking }
}
