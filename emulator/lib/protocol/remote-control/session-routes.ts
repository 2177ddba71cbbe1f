import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentServerMembers, EditorConfig, UserConfig } from '../../../types/document-server.js'
import type { ForceSaveOptions, Session } from '../../../types/session.js'
import { isDocumentServerError } from '../../errors.js'
import { invalid, RemoteError } from './errors.js'
import { fieldsOf, optionalString, requiredObject, requiredStrings } from './fields.js'
import { withTimeout } from './timeout.js'

const MAX_SESSIONS = 100
const FORCE_SAVE_TYPES = ['button', 'command', 'timer', 'form']

/** Opens scripted sessions and controls them. */
export function sessionRoutes (scope: FastifyInstance, { open }: Pick<DocumentServerMembers, 'open'>): void {
  const sessions = new Map<string, Session>()
  let opening = 0

  scope.get('/sessions', async () => ({ sessions: [...sessions].map(described) }))

  scope.post('/sessions', async (request, reply) => {
    const fields = fieldsOf(request)
    const config = requiredObject(fields, 'config') as EditorConfig
    const user = fields.user === undefined ? undefined : requiredObject(fields, 'user') as UserConfig
    const headers = fields.headers === undefined ? {} : requiredStrings(fields, 'headers')
    if (sessions.size + opening >= MAX_SESSIONS) {
      throw new RemoteError(
        429,
        'TOO_MANY_SESSIONS',
        `${MAX_SESSIONS} sessions are open: close some, or all with DELETE /emulator/sessions`
      )
    }
    opening++
    const opened = open(config, user, { headers }).finally(() => { opening-- })
    const id = randomUUID()
    let isAwaited = true
    // A client that stopped waiting never learns the id, so the session is closed.
    opened.then(async session => { if (!isAwaited) await session.close() }).catch(() => {})
    try {
      sessions.set(id, await withTimeout(request, reply, async () => await opened))
    } catch (error) {
      isAwaited = false
      throw error
    }
    return await reply.code(201).send(described([id, sessions.get(id)!]))
  })

  scope.delete('/sessions', async (request, reply) => {
    const leaving = [...sessions].map(async ([id, session]) => await close(id, session))
    await withTimeout(request, reply, async () => await Promise.allSettled(leaving))
    return { closed: leaving.length }
  })

  scope.get('/sessions/:id', async request => described(sessionOf(request)))
  scope.get('/sessions/:id/events', async request => ({ events: sessionOf(request)[1].events }))
  scope.get('/sessions/:id/content', async (request, reply) => {
    const bytes = await sessionOf(request)[1].content()
    return await reply.type('application/octet-stream').header('Content-Disposition', 'attachment').send(bytes)
  })
  scope.get('/sessions/:id/saved', async (request, reply) => {
    const [, session] = sessionOf(request)
    return await withTimeout(request, reply, async () => await asRemoteError(session.saved()))
  })

  action('edit', async (session, request) => {
    const { content, fileType } = editOf(request)
    await session.edit(content, fileType === undefined ? {} : { fileType })
  })
  action('force-save', async (session, request) => await session.forceSave(forceSaveOf(request)))
  action('close', async (session, request, id) => await close(id, session))
  action('disconnect', async session => await session.disconnect())
  action('reconnect', async session => await session.reconnect())

  function action (
    name: string,
    task: (session: Session, request: FastifyRequest, id: string) => Promise<unknown>
  ): void {
    scope.post(`/sessions/:id/${name}`, async (request: FastifyRequest, reply: FastifyReply) => {
      const [id, session] = sessionOf(request)
      return await withTimeout(request, reply, async () => await asRemoteError(task(session, request, id))) ??
        described([id, session])
    })
  }

  function sessionOf (request: FastifyRequest): [id: string, session: Session] {
    const { id } = request.params as { id: string }
    const session = sessions.get(id)
    if (session === undefined) {
      throw new RemoteError(404, 'NOT_FOUND', 'There is no such session; it may have been closed')
    }
    return [id, session]
  }

  async function close (id: string, session: Session) {
    const result = await session.close()
    sessions.delete(id)
    return result
  }
}

function described ([id, { key, userId, viewOnly }]: readonly [string, Session]) {
  return { id, key, userId, viewOnly }
}

function editOf (request: FastifyRequest): { content: string | Uint8Array, fileType: string | undefined } {
  if (Buffer.isBuffer(request.body)) {
    return { content: request.body, fileType: optionalString(request.query as Record<string, unknown>, 'fileType') }
  }
  const fields = fieldsOf(request)
  if (typeof fields.text !== 'string') {
    throw invalid('text must be a string; send the bytes of a document as application/octet-stream')
  }
  return { content: fields.text, fileType: optionalString(fields, 'fileType') }
}

function forceSaveOf (request: FastifyRequest): ForceSaveOptions {
  const { type = 'button', userdata, formData, ...unknown } = fieldsOf(request)
  if (!FORCE_SAVE_TYPES.includes(String(type))) throw invalid(`type must be one of ${FORCE_SAVE_TYPES.join(', ')}`)
  if (Object.keys(unknown).length > 0) throw invalid(`Unknown options: ${Object.keys(unknown).join(', ')}`)
  optionalString({ userdata }, 'userdata')
  return {
    type: type as NonNullable<ForceSaveOptions['type']>,
    ...(typeof userdata === 'string' && { userdata }),
    ...(formData !== undefined && { formData })
  }
}

/** Turns an error into a 409: the editor is view-only, has left or was dropped, or its save was refused. */
async function asRemoteError<Result> (task: Promise<Result>): Promise<Result> {
  try {
    return await task
  } catch (error) {
    if (error instanceof RemoteError || isDocumentServerError(error) || !(error instanceof Error)) throw error
    throw new RemoteError(409, 'NOT_POSSIBLE', error.message, error)
  }
}
