import { readlink } from 'node:fs/promises'
import { MARK } from './trace.js'

export async function between (marks: () => Promise<unknown>): Promise<void> {
  await readlink(MARK).catch(() => {})
  await marks()
  await readlink(MARK).catch(() => {})
}
