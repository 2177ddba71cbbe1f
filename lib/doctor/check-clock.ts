import type { DoctorFinding } from '../../types/doctor.js'
import { fault, ok, skipped } from './findings.js'

/** Both sides tolerate this much. */
const TOLERANCE_SECONDS = 60

export function clockSkew (status: 'error' | 'warning', evidence: string): DoctorFinding {
  return fault(status, 'CLOCK_SKEW', evidence, 'Set both clocks by NTP (timedatectl set-ntp true), that of the document server\'s machine and that of this one.')
}

/** By the age of a token that was made for a request, and else by the date that the web server states. */
export function checkClock (issuedSecondsAgo: number | undefined, clockAhead: number | undefined): DoctorFinding {
  const ahead = issuedSecondsAgo === undefined ? clockAhead : -issuedSecondsAgo
  if (ahead === undefined) return skipped('CLOCK', 'There was neither a token nor a date to compare.')
  const source = issuedSecondsAgo === undefined ? 'its web server\'s date' : 'the date of its token'
  const evidence = `By ${source}, the clock of the document server is ${Math.abs(ahead)} s ${ahead < 0 ? 'behind' : 'ahead of'} that of this application.`
  return Math.abs(ahead) > TOLERANCE_SECONDS ? clockSkew('warning', evidence) : ok('CLOCK', evidence)
}
