import { join } from 'node:path'
import fc from 'fast-check'
import type { Test } from 'tap'
import { isOnPostgres, isOnS3, heldStorage, storageOf } from '../../../kit/storage.js'
import { lifeCommands } from './commands.js'
import { startLife } from './life.js'
import { startWorld, type World, type WorldOptions } from './world.js'

export interface CheckOptions extends Omit<WorldOptions, 'directory'> {
  /** Names the check in `REPLAY`. One word. */
  readonly name: string
  /** On S3 and PostgreSQL there are only those of `memory`, and they are there. */
  readonly stored: 'memory' | 'files'
  /** Of 100 runs over all checks. */
  readonly share: number
}

/** Runs of all checks. */
const TOTAL = 12
const RUNS = Number(process.env.RUNS ?? TOTAL)
const SEED = Number(process.env.SEED ?? 1)
const SHRINKING_SECONDS = 60
/** Of the whole file. */
export const TIMEOUT_MS = 300_000 + RUNS * 2000

/** Plays the lives of documents that fast-check generates, one after the other, with the same two instances. */
export async function checkSaves (t: Test, { name, stored, share, ...options }: CheckOptions): Promise<void> {
  const [replayed, path, replayPath] = process.env.REPLAY?.split(' ') ?? []
  if (replayed !== undefined && replayed !== name) {
    t.comment(`${name}: not replayed`)
    return
  }
  if ((isOnS3 || isOnPostgres) && stored !== 'memory') {
    t.pass(name, { skip: 'This storage has these lives in another check' })
    return
  }
  const numRuns = Math.max(1, Math.round(RUNS * share / 100))
  t.setTimeout(TIMEOUT_MS)
  const root = stored === 'files' ? t.testdir() : null
  let worlds = 0
  let world: World | undefined
  /** In seconds of the process: the runs change all other times. */
  let failedAt: number | undefined
  t.teardown(async () => await world?.close())

  const property = fc.asyncProperty(lifeCommands(replayPath), async commands => {
    fc.pre(failedAt === undefined || process.uptime() - failedAt < SHRINKING_SECONDS)
    const open = await opening(t, stored)
    world ??= await startWorld({ ...options, ...open && { open }, directory: root === null ? null : join(root, String(++worlds), 'uploads') })
    try {
      const life = await startLife(world)
      await fc.asyncModelRun(() => ({ model: life.situation, real: life }), commands)
      await life.end()
    } catch (error) {
      failedAt ??= process.uptime()
      const failed = world
      world = undefined // what is under way in it must not disturb the next run
      await failed.close()
      throw error
    }
  })
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, { seed: SEED, numRuns, ...(path !== undefined && { path }) })
  if (failed) t.fail(described(name, String(counterexample?.[0]), counterexamplePath!, errorInstance as Error))
  else t.pass(`${name}: ${path === undefined ? numRuns : 1} runs, seed ${SEED}`)
}

/** How a storage is opened that is not in files. */
async function opening (t: Test, stored: CheckOptions['stored']): Promise<WorldOptions['open']> {
  if (isOnS3 || isOnPostgres) return (await storageOf(t)).open
  const memory = heldStorage()
  return stored === 'memory' ? () => memory : undefined
}

function described (name: string, commands: string, path: string, error: Error): string {
  const [, list, replayPath] = /^(.*) \/\*replayPath="(.*)"\*\/$/s.exec(commands) ?? []
  return `SEED=${SEED} REPLAY='${name} ${path} ${replayPath}': ${error.message}\n${list}`
}
