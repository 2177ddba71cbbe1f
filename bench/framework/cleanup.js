// What must be gone when a benchmark ends, however it ends: processes and temporary folders.
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
/** @type {Set<string>} */
const folders = new Set()

/**
 * @template {import('node:child_process').ChildProcess} Child
 * @param {Child} child
 */
export function killedAtExit (child) {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/**
 * @template T
 * @param {string} name
 * @param {(folder: string) => Promise<T>} work
 */
export async function inTemporaryFolder (name, work) {
  const folder = await mkdtemp(join(tmpdir(), `bench-${name}-`))
  folders.add(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    folders.delete(folder)
  }
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () =>
    process.exit(128 + constants.signals[signal]))
}

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  // With retries: a killed process may still finish a write.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})
