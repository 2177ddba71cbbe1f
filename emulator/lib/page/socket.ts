import type { FastifyInstance, FastifyRequest } from 'fastify'
import websocket, { type WebSocket } from '@fastify/websocket'
import { isOperation, type Operation } from '../documents/types.js'
import { type Editing, type EditingEvent, fieldsOf, type PageEditor } from '../editing.js'
import { documentServerError, told } from '../errors.js'
import { jsonObject } from '../json.js'
import { handedOver } from './handed-over.js'
import { type PageStates, pageStates } from './page-state.js'
import { resultOf } from './results.js'
import { inlinePdf } from './routes.js'
import { versionRoute } from './versions.js'

type Message = Record<string, unknown>

/** Source: docs/document-server-protocol.md#its-order-and-its-effects */
const NO_RIGHT = -23

const SOCKET_PATH = '/doc/socket'
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** The WebSocket of the editor pages. */
export async function socketRoute (app: FastifyInstance, editing: Editing): Promise<void> {
  await app.register(websocket, { options: { maxPayload: MAX_MESSAGE_BYTES } })
  app.addHook('preClose', async () => { // don't wait for pages that don't respond
    setTimeout(() => { for (const client of app.websocketServer.clients) client.terminate() }, 1000).unref()
  })
  const pages = pageStates()
  await app.register(async scope => {
    scope.addHook('onRequest', async (request, reply) => {
      if (editing.isOwnPage(request)) return
      return await reply.code(403).type('text/plain; charset=utf-8').header('connection', 'close')
        .send('Refused: only pages of this document server can connect. If it is behind a proxy, set publicUrl.\n')
    })
    versionRoute(scope, editing)
    scope.get(SOCKET_PATH, { websocket: true }, (socket, request) => serve(editing, pages, socket, request))
  })
}

function serve (editing: Editing, pages: PageStates, socket: WebSocket, request: FastifyRequest): void {
  const send = (message: Message) => { if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message)) }
  let editor: Promise<PageEditor> | undefined
  let [mayDownload, mayWrite] = [false, false]
  const given = handedOver(editing)

  const fail = (type: 'refused' | 'failed') => (error: unknown) => {
    const { code, message } = told(error)
    if (code === -1) request.log.error({ err: error }, 'an editor failed')
    send({ type, code, message })
  }

  async function open ({ config, connectionId, since }: Message & { readonly config: object }): Promise<PageEditor> {
    const connected: { editor?: PageEditor } = {}
    const { title, lang, ...given } = await editing.open(config, {
      baseUrl: editing.baseUrlOf(request),
      notify (event) { tell(event, connected.editor).catch(fail('failed')) }
    }, typeof connectionId === 'string' ? connectionId : undefined)
    ;({ mayDownload, mayWrite } = given)
    const opened = connected.editor = given.editor
    const page = pageOf(opened)
    page.sendUsers = () => send({ type: 'users', users: usersFor(opened, pages) })
    const editable = await opened.editable()
    const { document, outdated } = opened
    const { viewOnly, connectionId: assigned } = opened.participant()
    send({
      type: 'opened',
      title,
      lang,
      fileType: document.fileType,
      viewOnly,
      mayWrite: mayWrite && !viewOnly,
      outdated,
      mayDownload,
      connectionId: assigned,
      batch: page.batch,
      users: usersFor(opened, pages),
      content: editable.view(sinceOf(since)),
      unsaved: document.isUnsaved(),
      ...inlinePdf(editing.publish, document, editable)
    })
    return opened
  }

  async function tell (event: EditingEvent, opened: PageEditor | undefined): Promise<void> {
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
      case 'forceSaved': return send({ ...event, unsaved: opened.document.isUnsaved() })
    }
  }

  function requireWriting (): void {
    if (!mayWrite) throw documentServerError(NO_RIGHT, 'The text may not be changed.')
  }

  function isPermitted ({ op }: Operation): boolean {
    return mayWrite || op === 'field'
  }

  function pageOf ({ document, participant }: PageEditor) {
    return pages.of(document, participant().connectionId)
  }

  /** Resolves to the answer to a request. */
  async function handle (opened: PageEditor, message: Message): Promise<object | undefined> {
    switch (message.type) {
      case 'edit': {
        const { operations } = message
        const permitted = Array.isArray(operations) ? operations.filter(isOperation).filter(isPermitted) : []
        // All at once, so that a batch is applied completely even if the connection is cut meanwhile.
        await Promise.all(permitted.map(opened.apply))
        pageOf(opened).batch = Number(message.batch)
        send({ type: 'received', batch: message.batch })
        break
      }
      case 'place':
        pageOf(opened).place = typeof message.place === 'string' ? message.place : null
        for (const id of opened.document.participants.keys()) pages.of(opened.document, id).sendUsers()
        break
      case 'forceSave': {
        const result = await opened.forceSave()
        send({
          type: 'forceSaveDone',
          nothing: result.status === null,
          accepted: result.accepted,
          answer: result.answer,
          unsaved: opened.document.isUnsaved()
        })
        break
      }
      case 'submit': {
        // The real server takes whatever a client sends.
        const formData = message.formData ?? (await opened.editable()).formData?.()
        if (formData === undefined) throw documentServerError(-1, 'The document is no form.')
        return { accepted: (await opened.forceSave({ type: 'form', formData })).accepted }
      }
      case 'content':
        send({ type: 'content', content: (await opened.editable()).view(), asked: true })
        break
      case 'download':
        if (!mayDownload) throw documentServerError(NO_RIGHT, 'The document may not be downloaded.')
        return await resultOf(editing, opened, message.format)
      case 'insertImages': {
        requireWriting()
        const images = await given.images(message.data)
        for (const bytes of images) await opened.append(bytes)
        return { inserted: images.length }
      }
      case 'insertText': {
        requireWriting()
        const lines = await given.lines(message.data)
        await opened.append(lines)
        return { inserted: lines.length }
      }
      case 'readDocument':
        return { doc: await given.doc(message.data) }
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
  async function receive (opened: PageEditor, message: Message): Promise<void> {
    const { id } = message
    if (typeof id !== 'number') {
      await handle(opened, message).catch(fail('failed'))
      return
    }
    try {
      send({ type: 'answer', id, result: await handle(opened, message) })
    } catch (error) {
      send({ type: 'answer', id, error: told(error) })
    }
  }

  socket.on('message', (data: Buffer) => {
    const message = jsonObject(data.toString())
    if (
      message?.type === 'open' && editor === undefined && typeof message.config === 'object' && message.config !== null
    ) {
      editor = open({ ...message, config: message.config })
      editor.catch(error => {
        fail('refused')(error)
        socket.close()
      })
    } else if (message !== undefined) {
      editor?.then(async opened => await receive(opened, message), () => {})
    }
  })
  // An editor that closed has already left; one whose connection was cut may come back.
  socket.on('close', () => {
    editor?.then(async opened => await opened.disconnect()).catch(() => {})
  })
  socket.on('error', error => request.log.warn({ err: error }, 'an editor connection failed'))
}

/** What a page that comes back has already. */
function sinceOf (given: unknown): { readonly epoch: string, readonly version: number } | undefined {
  const { epoch, version } = fieldsOf(given)
  return typeof epoch === 'string' && Number.isInteger(version) ? { epoch, version: Number(version) } : undefined
}

function usersFor ({ document, participant }: PageEditor, pages: PageStates): Message[] {
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
