import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { DoctorFinding } from '../../types/doctor.js'
import { probeOfStaged, STAGED_BYTES, stagedFileId } from '../handler/probes.js'
import { bytesOf } from '../util/streams.js'
import { sha256Of } from '../util/text.js'
import { askInstance } from './check-application.js'
import type { DoctorServices } from './direct-request.js'
import { error, ok, shown } from './findings.js'

/** At once, so that they arrive at several instances, however connections or requests are distributed. */
const REQUESTS = 6

/**
 * Whether the storage can store, and whether the instances that answer at `publicBaseUrl` have the same one. It leaves
 * nothing that users could see: staged content is invisible.
 */
export async function checkStorage (services: DoctorServices): Promise<DoctorFinding> {
  const { probes, storage, signal } = services
  const content = randomBytes(STAGED_BYTES)
  const probe = probes.start()
  const fileId = stagedFileId(probe)
  try {
    await storage.snapshot(fileId)
    const staged = await storage.stage(fileId, content)
    try {
      const stored = await bytesOf(Readable.from(staged))
      if (!stored.equals(content)) throw Object.assign(new Error(), { code: 'OTHER_BYTES_THAN_WRITTEN' })
      return await compare(services, staged.name && probeOfStaged(probe, staged.name), content)
    } finally {
      await storage.discard(staged)
    }
  } catch (failure) {
    signal.throwIfAborted()
    const { code, name } = Object(failure) as Partial<NodeJS.ErrnoException>
    return error('STORAGE_FAILED',
      `${STAGED_BYTES} bytes could not be stored: ${code ?? name ?? 'an unknown error'}.`,
      'Look into the log of the storage, and check its permissions, its free space and its connections. A directory must exist.')
  }
}

/** Other instances look for what is staged here. */
async function compare (
  services: DoctorServices, id: string | undefined, content: Uint8Array
): Promise<DoctorFinding> {
  const { app, probes, settings, storage } = services
  const stored = `${STAGED_BYTES} bytes were stored durably, read back and discarded.`
  if (!id || !storage.readStaged || !app.server.listening) {
    return ok('STORAGE', `${stored} This process does not listen, so its storage was not compared with that of others.`)
  }
  const url = shown(settings.publicBaseUrl())
  const hash = await sha256Of(Readable.from([content]))
  const answers = await Promise.all(Array.from({ length: REQUESTS }, async () => await askInstance(services, id)))
  const others = answers.filter(answer => answer !== undefined && answer.instance !== probes.instance)
  if (others.some(other => other?.staged === null)) {
    return error('STORAGE_NOT_SHARED',
      `Another instance of the application answers at ${url}, and what this one stores is not in its storage: documents, sessions and saves of the one are unknown to the other.`,
      'Give all instances the same storage: postgresStorage, s3Storage, or fileStorage with a directory that they share. memoryStorage, and a directory of each container, are for a single instance.')
  }
  return ok('STORAGE', others.some(other => other?.staged === hash)
    ? `${stored} Another instance at ${url} found them, too.`
    : `${stored} No other instance at ${url} could be asked for them: if there are any, whether they share this storage is unknown.`)
}
