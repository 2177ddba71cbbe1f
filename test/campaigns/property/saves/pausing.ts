import { equal } from './invariants.js'
import type { Stage } from './actions.js'
import type { People } from './saving.js'
import type { Side, Visit } from './situation.js'
import { other } from './world.js'

/**
 * Resolves when the other instance has gone on: it got the save that stands still as well, and perhaps stored a newer
 * one.
 */
export function pausing (
  { state, editors, pages, observe }: Pick<Stage, 'state' | 'editors' | 'pages' | 'observe'>,
  { open, edit }: People
) {
  const { world, fileId, model } = state

  return async function pause (side: Side, visit: Visit | null): Promise<void> {
    const { instances } = world
    const awake = other(side)
    instances[side].isPaused = true
    try {
      const { sentRequests: requests } = world.documentServers[side]
      const { body } = requests.findLast(({ method, url, answer, error }) =>
        method === 'POST' && answer === null && error === undefined &&
        new URL(url).searchParams.get('fileId') === fileId
      ) ?? {}
      const isSave = body?.status === 2 || body?.status === 6
      if (isSave && !world.moving) {
        const { token, ...fields } = body
        const answer = await world.post(awake, fileId, fields)
        if (model.text() !== null) equal(answer, '{"error":0}', 'one instance acknowledges the save while the other stands still')
      }
      if (visit !== null && model.text() !== null) await editMeanwhile(awake, String(body?.key), visit)
    } finally {
      instances[side].isPaused = false
    }
  }

  /** Must not advance the clock: that waits for the save that stands still. */
  async function editMeanwhile (side: Side, savedKey: string, visit: Visit): Promise<void> {
    const isRefused = visit === 'is refused'
    const page = await open(side)
    const { config, key } = page
    const { unsaved, refused } = model.key(key)
    if (key === savedKey || (unsaved && !(isRefused && refused === 'known'))) return
    if (isRefused) pages.push(page) // whoever has it can save later
    const session = await world.documentServers[side].open(config)
    await observe(key)
    if (session.viewOnly) return
    model.key(key).finished = false
    world.clock.jump(1000)
    const editor = { session, key, side, is: 'in' as const }
    editors.push(editor)
    await edit(editor)
    if (visit === 'stays') return
    const mend = isRefused ? world.documentServers[side].fault('file', { type: 'html' }) : () => {}
    const answer = await session.close()
    mend()
    Object.assign(editor, { is: 'gone' })
    if (model.text() !== null && !isRefused) equal(answer.accepted, true, 'one instance can save while the other stands still')
  }
}
