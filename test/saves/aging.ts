import type { Storage } from '../../lib/index.js'

interface Record {
  readonly live: ReadonlyArray<{ readonly heard: number }>
  readonly saves: ReadonlyArray<{ readonly at: number }>
}

/** Makes all that is remembered of a file older, as if nobody had been heard of for so many milliseconds. */
export async function age (storage: Storage, fileId: string, milliseconds: number): Promise<void> {
  const found = await storage.state!.get(fileId)
  const { live, saves, ...rest } = found!.value as Record
  const older = {
    ...rest,
    live: live.map(session => ({ ...session, heard: session.heard - milliseconds })),
    saves: saves.map(save => ({ ...save, at: save.at - milliseconds }))
  }
  if (await storage.state!.set(fileId, older, found!.version) === null) throw new Error('somebody else has changed the record')
}
