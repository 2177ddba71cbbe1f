import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

const isRoot = process.getuid?.() === 0
const NOBODY = 65534

/** Runs a task without the rights of the super-user, whom no permission stops. */
export async function asOrdinaryUser<T> (task: () => Promise<T>): Promise<T> {
  if (!isRoot) return task()
  process.seteuid!(NOBODY)
  try {
    return await task()
  } finally {
    process.seteuid!(0)
  }
}

/** Where a file storage keeps its records. */
export const STATE = '.fastify-onlyoffice-state'
/** Where it keeps versions. */
export const VERSIONS = '.fastify-onlyoffice-versions'

/** What is in a directory, temp files included, records and versions aside. */
export async function namesIn (directory: string): Promise<string[]> {
  return (await readdir(directory)).filter(name => name !== STATE && name !== VERSIONS).sort()
}

/** The same with what they hold. */
export async function textsIn (directory: string): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all((await namesIn(directory)).map(async name => [name, await readFile(join(directory, name), 'utf8')])))
}

/** The same with their digests. */
export async function contentsOf (directory: string): Promise<Record<string, string>> {
  const names = await namesIn(directory)
  return Object.fromEntries(await Promise.all(names.map(async name => [name, createHash('md5').update(await readFile(join(directory, name))).digest('hex')])))
}

/**
 * Brings about a state only the super-user can, runs the task in it and undoes it. Where that can't be had the test
 * is skipped with the reason. Far from the fixtures, which the next run must be able to remove whatever happens here.
 */
async function inState (t: Test, make: readonly string[], undo: readonly string[], task: () => Promise<void>): Promise<void> {
  try {
    run(make)
  } catch (error) {
    t.pass(make.join(' '), { skip: `needs root: ${(error as Error).message.trim()}` })
    return
  }
  try {
    await task()
  } finally {
    run(undo)
  }
}

export function run ([command, ...args]: readonly string[]): void {
  execFileSync(command!, args, { stdio: 'pipe' })
}

/** A disk of 256 KiB. */
export function onSmallDisk (t: Test, task: (directory: string) => Promise<void>): Promise<void> {
  return inTempDirectory(directory =>
    inState(t, ['mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory], ['umount', '-l', directory], () => task(directory)))
}

/** A file that can be neither replaced nor removed. */
export function withImmutableFile (t: Test, name: string, task: (directory: string) => Promise<void>): Promise<void> {
  return inTempDirectory(async directory => {
    await writeFile(join(directory, name), 'old')
    await inState(t, ['chattr', '+i', join(directory, name)], ['chattr', '-i', join(directory, name)], () => task(directory))
  })
}

async function inTempDirectory (task: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-onlyoffice-'))
  try {
    await task(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}
