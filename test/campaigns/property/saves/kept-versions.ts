import { RESTORED } from './history.js'
import { equal, show, type State, violated } from './invariants.js'

/**
 * Everything that a save or a restore has replaced since the file was last removed is kept, in this order, and each
 * version can be read.
 */
export async function checkKeptVersions ({ world, fileId }: State): Promise<void> {
  const stored = world.histories.of(fileId)
  const sinceRemoval = stored.slice(stored.findLastIndex(({ text }) => text === null) + 1)
  const replaced = sinceRemoval.flatMap(({ text }, index) => keepsOthers(sinceRemoval[index + 1]?.by) ? [text] : [])
  const kept = await world.outside.versionsOf(fileId)
  equal(kept.map(({ version }) => version).join(), kept.map(({ version }) => version).toSorted((a, b) => a - b).join(), 'the numbers of versions ascend')
  let position = 0
  for (const { text } of kept) if (text === replaced[position]) position++
  if (position < replaced.length) violated(`${show(replaced[position])} was replaced and is not kept: ${show(kept)}`)
}

/** Only instances keep what they replace. */
function keepsOthers (by: string | undefined): boolean {
  return by === 'a' || by === 'b' || by === RESTORED
}
