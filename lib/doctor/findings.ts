import type { DoctorFinding } from '../../types/doctor.js'
import { codes, type DoctorCode } from './codes.js'

/** The codes of the checks: of a finding that is `ok` or `skipped`. */
export type CheckCode = 'OPTIONS' | 'SERVER' | 'API_SCRIPT' | 'TOKENS_IN' | 'VERSION' | 'DOWNLOAD' | 'TOKENS_OUT' | 'CLOCK' | 'RESULT' | 'FROM_FILE' | 'CALLBACK' | 'STORAGE'

export function ok (code: CheckCode, evidence: string): DoctorFinding {
  return { code, status: 'ok', title: codes[code], evidence }
}

export function skipped (code: CheckCode, evidence: string): DoctorFinding {
  return { code, status: 'skipped', title: codes[code], evidence }
}

export function fault (status: 'error' | 'warning', code: Exclude<DoctorCode, CheckCode>, evidence: string, remedy: string): DoctorFinding {
  return { code, status, title: codes[code], evidence, remedy }
}

export const error = fault.bind(undefined, 'error')
export const warning = fault.bind(undefined, 'warning')

export function isError ({ status }: DoctorFinding): boolean {
  return status === 'error'
}
