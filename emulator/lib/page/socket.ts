import type { FastifyInstance, FastifyRequest } from 'fastify'
import websocket, { type WebSocket } from '@fastify/websocket'
import { baseUrlOf } from '../url.js'
import type { Time } from '../protocol/clock/time.js'
import type { Convert } from '../documents/converter/convert.js'
import type { FaultRegistry } from '../protocol/faults/registry.js'
import type { OutboundClient } from '../protocol/outbound/client.js'
import { readableDoc } from '../documents/extract/readable.js'
import { isOperation } from '../documents/types.js'
import { documentServerError, isDocumentServerError } from '../errors.js'
import { isOwnPage } from '../protocol/allowed-hosts.js'
import type { ResultFiles } from '../protocol/result-files/files.js'
import { type Editor, editorOf } from '../protocol/sessions/editor.js'
import type { Connection, Joined } from '../protocol/sessions/joining.js'
import { isForceSaved, type OpenDocument } from '../protocol/sessions/open-document.js'
import type { ParticipantEvent } from '../protocol/sessions/participants.js'
import type { Sessions } from '../protocol/sessions/sessions.js'
import { trustedConfig } from '../protocol/tokens/config-token.js'
import type { Tokens } from '../protocol/tokens/tokens.js'
import { type PageStates, pageStates } from './page-state.js'
import { fieldsOf, handedOver } from './handed-over.js'
import { inlinePdf } from './routes.js'
import { resultOf } from './results.js'
import { versionRoute } from './versions.js'

interface Parts {
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly files: ResultFiles
  readonly convert: Convert
  readonly faults: FaultRegistry
  readonly closing: AbortSignal
  readonly client: OutboundClient
  readonly time: Time
  readonly serverVersion: string
  readonly url: () => string
}

type Message = Record<string, unknown>

/** Source: docs/document-server-protocol.md#its-order-and-its-effects */
const NO_RIGHT = -23

const SOCKET_PATH = '/doc/socket'
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** The WebSocket of the editor pages. */
export async function socketRoute (app: FastifyInstance, parts: Parts): Promise<void> {
  await app.register(websocket, { options: { maxPayload: MAX_MESSAGE_BYTES } })
  app.addHook('preClose', async () => { // don't wait for pages that don't respond
    setTimeout(() => { for (const client of app.websocketServer.clients) client.terminate() }, 1000).unref()
  })
  const pages = pageStates()
  await app.register(async scope => {
    scope.addHook('onRequest', async (request, reply) => {
      if (isOwnPage(request, parts.url())) return
      return await reply.code(403).type('text/plain; charset=utf-8').header('connection', 'close')
        .send('Refused: only pages of this document server can connect. If it is behind a proxy, set publicUrl.\n')
    })
    versionRoute(scope, parts)
    scope.get(SOCKET_PATH, { websocket: true }, (socket, request) => serve({ ...parts, pages }, socket, request))
  })
}

function serve (parts: Parts & { readonly pages: PageStates }, socket: WebSocket, request: FastifyRequest): void {
  const send = (message: Message) => { if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message)) }
  let editor: Promise<Editor> | undefined
  let mayDownload = false
  const given = handedOver(parts)

  const fail = (type: 'refused' | 'failed') => (error: unknown) => {
    const code = isDocumentServerError(error) ? error.code : -1
    if (code === -1) request.log.error({ err: error }, 'an editor failed')
    send({ type, code, message: error instanceof Error ? error.message : String(error) })
  }

  async function open ({ config, connectionId, since }: Message & { readonly config: object }): Promise<Editor> {
    const trusted = trustedConfig(config, parts.tokens)
    mayDownload = trusted.mayDownload
    const connected: { editor?: Editor } = {}
    const connection = {
      baseUrl: baseUrlOf(request, parts.url()),
      notify (event: ParticipantEvent) { tell(event, connected.editor).catch(fail('failed')) }
    }
    const joined: Joined = typeof connectionId === 'string'
      ? await reconnect(parts.sessions, trusted.key, connectionId, connection)
      : await parts.sessions.open(trusted, connection)
    const opened = connected.editor = editorOf(parts.sessions, joined)
    const page = pageOf(opened)
    page.sendUsers = () => send({ type: 'users', users: usersFor(opened, parts.pages) })
    const editable = await opened.editable()
    const { document, participant, outdated } = joined
    send({
      type: 'opened',
      title: trusted.title,
      lang: trusted.lang,
      fileType: document.fileType,
      viewOnly: participant.viewOnly,
      outdated,
      mayDownload,
      connectionId: participant.connectionId,
      batch: page.batch,
      users: usersFor(opened, parts.pages),
      content: editable.view(sinceOf(since)),
      unsaved: isUnsaved(document),
      ...inlinePdf(parts.files, document, editable)
    })
    return opened
  }

  async function tell (event: ParticipantEvent, opened: Editor | undefined): Promise<void> {
    switch (event.type) {
      case 'warning':
      case 'renamed':
      case 'dropped': return send({ ...event })
    }
    if (opened === undefined) return
    switch (event.type) {
      case 'users': return pageOf(opened).sendUsers()
      case 'content': return send({ ...event, content: (await opened.editable()).view() })
      case 'operation': return send({ ...event })
      case 'saved':
      case 'forceSaved': return send({ ...event, unsaved: isUnsaved(opened.document) })
    }
  }

  function pageOf ({ document, participant }: Editor) {
    return parts.pages.of(document, participant().connectionId)
  }

  /** Resolves to the answer to a request. */
  async function handle (opened: Editor, message: Message): Promise<object | undefined> {
    switch (message.type) {
      case 'edit': {
        const operations = Array.isArray(message.operations) ? message.operations.filter(isOperation) : []
        // All at once, so that a batch is applied completely even if the connection is cut meanwhile.
        await Promise.all(operations.map(opened.apply))
        pageOf(opened).batch = Number(message.batch)
        send({ type: 'received', batch: message.batch })
        break
      }
      case 'place':
        pageOf(opened).place = typeof message.place === 'string' ? message.place : null
        for (const id of opened.document.participants.keys()) parts.pages.of(opened.document, id).sendUsers()
        break
      case 'forceSave': {
        const result = await opened.forceSave()
        send({
          type: 'forceSaveDone',
          nothing: result.status === null,
          accepted: result.accepted,
          answer: result.answer,
          unsaved: isUnsaved(opened.document)
        })
        break
      }
      case 'content':
        send({ type: 'content', content: (await opened.editable()).view(), asked: true })
        break
      case 'download':
        if (!mayDownload) throw documentServerError(NO_RIGHT, 'The document may not be downloaded.')
        return await resultOf(parts, opened, message.format)
      case 'insertImages': {
        const images = await given.images(message.data)
        for (const bytes of images) await opened.appendImage(bytes)
        return { inserted: images.length }
      }
      case 'insertText': {
        const lines = await given.lines(message.data)
        await opened.appendLines(lines)
        return { inserted: lines.length }
      }
      case 'readDocument':
        return {
          doc: await given.doc(message.data),
          present: readableDoc(opened.document.fileType, await opened.content()).toJSON()
        }
      case 'readRecipients':
        return { rows: await given.rows(message.data) }
      case 'readCell':
        return { value: await given.cell(message.data, message.sheet, message.cell) }
      case 'close': {
        const result = await opened.leave()
        send({ type: 'closed', status: result.status, accepted: result.status === null || result.accepted })
        socket.close()
      }
    }
    return undefined
  }

  /** Requests have an id, and one answer. */
  async function receive (opened: Editor, message: Message): Promise<void> {
    const { id } = message
    if (typeof id !== 'number') {
      await handle(opened, message).catch(fail('failed'))
      return
    }
    try {
      send({ type: 'answer', id, result: await handle(opened, message) })
    } catch (error) {
      send({
        type: 'answer',
        id,
        error: {
          code: isDocumentServerError(error) ? error.code : -1,
          message: error instanceof Error ? error.message : String(error)
        }
      })
    }
  }

  socket.on('message', (data: Buffer) => {
    const message = parse(data)
    if (
      message?.type === 'open' && editor === undefined && typeof message.config === 'object' && message.config !== null
    ) {
      editor = open({ ...message, config: message.config })
      editor.catch(error => {
        fail('refused')(error)
        socket.close()
      })
    } else if (message !== null) {
      editor?.then(async opened => await receive(opened, message), () => {})
    }
  })
  // An editor that closed has already left; one whose connection was cut may come back.
  socket.on('close', () => {
    editor?.then(async opened => await opened.disconnect()).catch(() => {})
  })
  socket.on('error', error => request.log.warn({ err: error }, 'an editor connection failed'))
}

/** Whether there are changes that the application has not accepted. */
function isUnsaved (document: OpenDocument): boolean {
  return document.changes.length > 0 && !isForceSaved(document)
}

/** Reconnects, even if the server has not noticed yet that the connection was cut. */
async function reconnect (
  sessions: Sessions,
  key: string,
  connectionId: string,
  connection: Connection
): Promise<Joined> {
  const document = sessions.documents.get(key)
  const present = document?.participants.get(connectionId)
  if (document !== undefined && present !== undefined) await sessions.disconnect(document, present)
  return await sessions.reopen(key, connectionId, connection)
}

/** What a page that comes back has already. */
function sinceOf (given: unknown): { readonly epoch: string, readonly version: number } | undefined {
  const { epoch, version } = fieldsOf(given)
  return typeof epoch === 'string' && Number.isInteger(version) ? { epoch, version: Number(version) } : undefined
}

function usersFor ({ document, participant }: Editor, pages: PageStates): Message[] {
  const self = participant().connectionId
  return [...document.participants.values()].map(({ connectionId, userId, userName, viewOnly }) => ({
    id: connectionId,
    userId,
    name: userName,
    viewOnly,
    self: connectionId === self,
    place: pages.of(document, connectionId).place
  }))
}

function parse (data: Buffer): Message | null {
  try {
    const value: unknown = JSON.parse(data.toString())
    return typeof value === 'object' && value !== null ? value as Message : null
  } catch {
    return null
  }
}
