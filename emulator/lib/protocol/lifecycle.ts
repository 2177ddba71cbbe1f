import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { lastChanger } from './sessions/assembly.js'
import type { OpenDocument } from './sessions/open-document.js'
import type { Parts } from './parts.js'
import { editors, type Participant } from './sessions/participants.js'
import type { Sessions } from './sessions/sessions.js'

/** Makes everybody leave and saves everything, for an orderly shutdown. */
export async function leaveAll ({ documents, log, tasks }: Parts, sessions: Sessions): Promise<void> {
  const leaving = documents.all().map(async document => {
    for (const participant of [...document.participants.values()]) await sessions.leave(document, participant)
    document.skipWait()
  })
  for (const outcome of await Promise.allSettled(leaving)) {
    if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a document could not be saved while closing')
  }
  await tasks.settled()
}

/** Crashes the server, and restarts it at the same IP address and port. */
export function lifecycle (
  app: FastifyInstance,
  { client, documents, heldCallbacks, tasks, time }: Parts,
  sessions: Sessions
) {
  const { server } = app
  const connections = new Set<Socket>()
  server.on('connection', socket => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  let address: AddressInfo | null = null
  let leavers = new Map<OpenDocument, Participant>()

  return {
    async crash (): Promise<void> {
      if (address !== null) throw new TypeError('The document server has already crashed')
      address = server.address() as AddressInfo
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections) socket.destroy()
      client.crash()
      heldCallbacks.clear()
      leavers = new Map()
      for (const document of documents.all()) {
        const leaver = lastToLeave(document)
        if (leaver !== undefined) leavers.set(document, leaver)
        for (const participant of document.crash()) participant.notify({ type: 'disconnected' })
      }
      await closed
      await tasks.settled()
    },
    async restart ({ sessions: fate }: { readonly sessions: 'kept' | 'lost' }): Promise<void> {
      if (fate !== 'kept' && fate !== 'lost') throw new TypeError('sessions must be "kept" or "lost"')
      if (address === null) throw new TypeError('The document server has not crashed')
      server.listen(address.port, address.address)
      await once(server, 'listening')
      address = null
      client.restart()
      for (const document of documents.all()) {
        if (fate === 'kept') {
          resume(document)
        } else {
          document.loseUnsaved()
          documents.remove(document)
        }
      }
    }
  }

  /** Repeats a save that was under way at once. Editors who were cut off have the usual time to come back. */
  function resume (document: OpenDocument): void {
    const leaver = leavers.get(document)
    const { save } = document
    if (save !== null) {
      const { leaver, isWaiting, folder } = save
      sessions.saveLater(document, document.startSave(leaver, time.now(), { waits: isWaiting, folder }))
    } else if (leaver !== undefined) {
      sessions.saveLater(document, document.startSave(leaver, time.now(), { waits: true }))
    }
  }
}

/** The editor who would have left last, if there is something to save. */
function lastToLeave (document: OpenDocument): Participant | undefined {
  const { changes, fromForgottenFile, save } = document
  if (changes.length === 0 && !fromForgottenFile) return undefined
  if (save !== null) return save.leaver
  const present = editors(document)
  return present.length === 0 ? undefined : lastChanger(document) ?? present.at(-1)
}
