import type fc from 'fast-check'
import type { World } from './world.js'

/** After an access, an instance reaches the next one within so many turns of the event loop. */
const TURNS = 3

/**
 * Runs a task during which the scheduler orders the storage accesses of both instances. Each access waits before it
 * starts and after its end, and one at a time continues, when both instances wait.
 */
export async function interleaved (
  world: World,
  scheduler: fc.Scheduler,
  task: () => Promise<void>,
  onAccess: (...access: Parameters<World['onMoment']>) => void = () => {}
): Promise<void> {
  let arrive = () => {}
  const running = new Set([task])
  world.onMoment = (side, access, isDone) => {
    onAccess(side, access, isDone)
    const held = scheduler.schedule(Promise.resolve(), `${side} ${access}${isDone ? ' done' : ''}`)
    arrive()
    return held
  }
  const over = task().finally(() => {
    running.clear()
    world.onMoment = () => {}
    arrive()
  })
  over.catch(() => {}) // it is awaited below
  while (running.size > 0 || scheduler.count() > 0) {
    if (scheduler.count() === 0) await new Promise<void>(resolve => { arrive = resolve }) // or the end of the task
    for (let turn = 0; turn < TURNS; turn++) await new Promise(resolve => setImmediate(resolve))
    if (scheduler.count() > 0) await scheduler.waitNext(1)
  }
  await over
}
