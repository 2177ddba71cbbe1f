import { Parser } from 'tap-parser'

/**
 * The counts of a whole run as tap itself gives them in its last lines, and all that it was told to leave out.
 * @param {string} tap
 */
export function readResults (tap) {
  let [passed, failed] = [0, 0]
  const notRun = []
  for (const [event, result] of Parser.parse(tap, { flat: true })) {
    if (event !== 'assert') continue
    const { ok, fullname, skip, todo } = result
    const reason = skip || todo
    if (reason) notRun.push(`${fullname}: ${reason === true ? 'no reason given' : reason}`)
    else if (ok) passed++
    else failed++
  }
  return { passed, failed, notRun }
}
