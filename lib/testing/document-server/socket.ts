import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocket } from '@fastify/websocket'
import { baseUrlOf } from './base-url.js'
import { trustedConfig } from './config-token.js'
import type { Participant, ParticipantEvent } from './documents.js'
import { isOperation } from './editing/types.js'
import { type Editor, editorOf } from './editor.js'
import { isDocumentServerError } from './errors.js'
import type { Convert } from './pdf/convert.js'
import { type ResultFiles, resultFolder } from './result-files.js'
import { isAccepted } from './callbacks.js'
import type { Sessions } from './sessions.js'
import { optional } from './optional.js'
import type { Tokens } from './tokens.js'

interface Parts {
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly files: ResultFiles
  readonly convert: Convert
  readonly url: () => string
}

type Message = Record<string, unknown>

const SOCKET_PATH = '/doc/socket'
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** Connects editor pages. Without @fastify/websocket everything but the page works. */
export async function socketRoute (app: FastifyInstance, parts: Parts): Promise<void> {
  try {
    const { default: websocket } = await optional('The editor page', '@fastify/websocket', () => import('@fastify/websocket'))
    await app.register(websocket, { options: { maxPayload: MAX_MESSAGE_BYTES } })
  } catch (error) {
    app.get(SOCKET_PATH, async () => { throw error })
    return
  }
  await app.register(async scope => {
    scope.get(SOCKET_PATH, { websocket: true }, (socket, request) => serve(parts, socket, request))
  })
}

function serve (parts: Parts, socket: WebSocket, request: FastifyRequest): void {
  const send = (message: Message) => { if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message)) }
  let editor: Promise<Editor> | undefined

  const fail = (error: unknown) => {
    const code = isDocumentServerError(error) ? error.code : -1
    if (code === -1) request.log.error({ err: error }, 'an editor failed')
    send({ type: 'refused', code, message: error instanceof Error ? error.message : String(error) })
  }

  async function open (config: object): Promise<Editor> {
    const trusted = trustedConfig(config, parts.tokens)
    const baseUrl = baseUrlOf(request, parts.url())
    const connected: { editor?: Editor } = {}
    const notify = (event: ParticipantEvent) => {
      if (connected.editor !== undefined) tell(connected.editor, event).catch(fail)
    }
    const joined = await parts.sessions.join(trusted, { baseUrl, notify })
    const opened = connected.editor = editorOf(parts.sessions, joined)
    const editable = await opened.editable()
    send({
      type: 'opened',
      title: trusted.title,
      lang: trusted.lang,
      fileType: joined.document.fileType,
      viewOnly: joined.participant.viewOnly,
      outdated: joined.outdated,
      connectionId: joined.participant.connectionId,
      users: usersOf(opened),
      content: editable.view()
    })
    return opened
  }

  async function tell (opened: Editor, event: ParticipantEvent): Promise<void> {
    if (event.type === 'users') send({ type: 'users', users: usersOf(opened) })
    else if (event.type === 'content') send({ type: 'content', content: (await opened.editable()).view() })
    else send({ ...event })
  }

  async function handle (opened: Editor, message: Message): Promise<void> {
    switch (message.type) {
      case 'edit':
        if (isOperation(message.operation)) await opened.apply(message.operation)
        if (message.last === true) send({ type: 'received' })
        break
      case 'forceSave': {
        const result = await opened.forceSave()
        send({ type: 'forceSaved', nothing: result.status === null, accepted: isAccepted(result), answer: result.answer })
        break
      }
      case 'download':
        send({ type: 'downloadAs', ...await resultOf(parts, opened, String(message.format || opened.document.fileType)) })
        break
      case 'close': {
        const result = await opened.leave()
        send({ type: 'closed', status: result.status, accepted: result.status === null || isAccepted(result) })
        socket.close()
      }
    }
  }

  socket.on('message', (data: Buffer) => {
    const message = parse(data)
    if (message?.type === 'open' && editor === undefined && typeof message.config === 'object' && message.config !== null) {
      editor = open(message.config)
      editor.catch(error => {
        fail(error)
        socket.close()
      })
    } else if (message !== null) {
      editor?.then(async opened => await handle(opened, message)).catch(fail)
    }
  })
  socket.on('close', () => {
    editor?.then(async opened => await opened.leave()).catch(() => {})
  })
  socket.on('error', error => request.log.warn({ err: error }, 'an editor connection failed'))
}

/** The current document at an expiring address, converted when another format is asked for. */
async function resultOf ({ files, convert }: Parts, { document, participant, content }: Editor, format: string): Promise<Message> {
  const bytes = await convert(await content(), document.fileType, format)
  if (bytes === null) return { error: `${document.fileType} can't be converted to ${format}` }
  const path = files.put(`${resultFolder(document.key)}/output.${format}`, `output.${format}`, bytes, format)
  return { fileType: format, url: files.urlOf(path, participant.baseUrl, document.key) }
}

function usersOf ({ document, participant: self }: Editor): Message[] {
  return [...document.participants.values()].map(({ connectionId, userName, viewOnly }: Participant) =>
    ({ id: connectionId, name: userName, viewOnly, self: connectionId === self.connectionId }))
}

function parse (data: Buffer): Message | null {
  try {
    const value: unknown = JSON.parse(data.toString())
    return typeof value === 'object' && value !== null ? value as Message : null
  } catch {
    return null
  }
}
