import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentServerMembers, EditorConfig, UserConfig } from '../../../types/document-server.js'
import type { ForceSaveOptions, Session } from '../../../types/session.js'
import { isDocumentServerError } from '../../errors.js'
import { invalid, RemoteError, withBody, withTimeout } from './requests.js'

const MAX_SESSIONS = 100
const OBJECT = { type: 'object' }
const TEXT = { type: 'string' }
const FORCE_SAVE = withBody({ type: { enum: ['button', 'command', 'timer', 'form'] }, userdata: TEXT, formData: {} })

/** Opens scripted sessions and controls them. */
export function sessionRoutes (scope: FastifyInstance, { open }: Pick<DocumentServerMembers, 'open'>): void {
  const sessions = new Map<string, Session>()
  let opening = 0

  scope.get('/sessions', async () => ({ sessions: [...sessions].map(described) }))

  const body = withBody({ config: OBJECT, user: OBJECT, headers: { ...OBJECT, additionalProperties: TEXT } }, 'config')
  scope.post('/sessions', body, async (request, reply) => {
    const { config, user, headers = {} } =
      request.body as { config: EditorConfig, user?: UserConfig, headers?: Record<string, string> }
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
    await session.edit(content, typeof fileType === 'string' ? { fileType } : {})
  })
  action('force-save', async (session, { body }) => await session.forceSave(body as ForceSaveOptions), FORCE_SAVE)
  action('close', async (session, request, id) => await close(id, session))
  action('disconnect', async session => await session.disconnect())
  action('reconnect', async session => await session.reconnect())

  function action (
    name: string,
    task: (session: Session, request: FastifyRequest, id: string) => Promise<unknown>,
    options = {}
  ): void {
    scope.post(`/sessions/:id/${name}`, options, async (request: FastifyRequest, reply: FastifyReply) => {
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

function editOf ({ body, query }: FastifyRequest): { content: string | Uint8Array, fileType?: unknown } {
  if (Buffer.isBuffer(body)) return { content: body, ...query as { fileType?: string } }
  const { text, fileType } = Object(body) as { text?: unknown, fileType?: unknown }
  if (typeof text === 'string') return { content: text, fileType }
  throw invalid('text must be a string; send the bytes of a document as application/octet-stream')
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
