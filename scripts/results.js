import { Parser } from 'tap-parser'

const GROUP = /^\.tap\/groups\/\S+ > /

/**
 * The counts of a run, the same as in tap's last lines, and what was skipped and why.
 * @param {string} tap
 */
export function readResults (tap) {
  let [passed, failed] = [0, 0]
  const notRun = []
  for (const [event, result] of Parser.parse(tap, { flat: true })) {
    if (event !== 'assert') continue
    const { ok, fullname, skip, todo } = result
    const reason = skip || todo
    if (reason) notRun.push(`${fullname.replace(GROUP, '')}: ${reason === true ? 'no reason given' : reason}`)
    else if (ok) passed++
    else failed++
  }
  return { passed, failed, notRun }
}
