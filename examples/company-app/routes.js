import { readFile } from 'node:fs/promises'
import { closeForOthers, createDocument, nameIn } from './editor.js'
import { NotAllowed, NotFound, Wrong } from './errors.js'
import { PUBLIC } from './login.js'
import * as pages from './pages.js'

const { placeOf, send } = pages
const COMMAND_MS = 3000
const style = await readFile(new URL('style.css', import.meta.url))

export async function listRoutes (app, { accounts, documents }) {
  app.get('/style.css', { config: PUBLIC }, async (request, reply) => reply.type('text/css').send(style))

  app.get('/', async ({ user }, reply) => send(reply, await listOf(user, null)))

  app.get('/folders/:id', async ({ user, params }, reply) => {
    return send(reply, await listOf(user, await documents.folder(params.id, user.id)))
  })

  app.post('/folders', async ({ user, body }, reply) => {
    const parent = await folderOf(user, body.folder)
    await documents.addFolder({ owner: user.id, parent, name: nameIn(body.name) })
    return reply.redirect(placeOf(parent), 303)
  })

  app.post('/folders/:id/delete', async ({ user, params }, reply) => {
    const { id, parent } = await documents.folder(params.id, user.id)
    await documents.removeFolder(id)
    return reply.redirect(placeOf(parent), 303)
  })

  app.post('/documents', async ({ user, body }, reply) => {
    const folder = await folderOf(user, body.folder)
    const { name, from = '' } = body
    const id = await createDocument(app, documents, { owner: user.id, folder, name, from })
    return reply.redirect(`/documents/${id}`, 303)
  })

  app.post('/uploads', async (request, reply) => {
    const { user, query } = request
    const folder = await folderOf(user, query.folder)
    const upload = await request.file()
    const filename = upload?.filename ?? ''
    const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()
    const name = nameIn(filename, extension)
    const content = await upload.toBuffer()
    // Where the limit is reached with the last bytes, they are just missing.
    if (upload.file.truncated) throw new app.multipartErrors.RequestFileTooLargeError()
    const { fileId: id } = await app.editorControl().uploadDocument(content, filename, { check: true })
    await documents.add({ id, owner: user.id, folder, name, extension })
    return reply.redirect(placeOf(folder), 303)
  })

  app.get('/account', async ({ user }, reply) => send(reply, pages.accountPage({ user })))

  app.post('/account', async ({ user, body }, reply) => {
    await accounts.changePassword(user, body.current ?? '', body.password ?? '')
    return reply.redirect('/login', 303)
  })

  async function listOf (user, folder) {
    const place = folder?.id ?? null
    return pages.listPage({
      user,
      folder,
      folders: (await documents.folders(user.id)).filter(({ parent }) => parent === place),
      documents: await documents.list(user.id, place),
      templates: await documents.templates(user.id)
    })
  }

  async function folderOf (user, id) {
    return id ? (await documents.folder(id, user.id)).id : null
  }
}

export async function documentRoutes (app, { accounts, documents }) {
  app.get('/documents/:id', async ({ user, params }, reply) => {
    const document = await documents.readable(params.id, user.id)
    const control = app.editorControl({ user: { id: user.id, name: user.name }, mode: document.mode })
    await control.openDocument(document.id, { title: document.title })
    return send(reply, pages.editorPage({ user, document, fragment: control.render() }))
  })

  app.get('/documents/:id/download', async ({ user, params }, reply) => {
    const { id, title } = await documents.readable(params.id, user.id)
    const file = await app.editorStorage.read(id)
    if (!file) throw new NotFound()
    const name = encodeURIComponent(title).replaceAll("'", '%27')
    return reply.type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`).send(file.body)
  })

  app.get('/documents/:id/settings', async ({ user, params }, reply) => {
    const document = await documents.owned(params.id, user.id)
    const [users, rights] = [await accounts.all(), await documents.rightsOf(document.id)]
    const folders = await documents.folders(user.id)
    return send(reply, pages.settingsPage({ user, document, folders, users, rights }))
  })

  app.post('/documents/:id/settings', async ({ user, params, body, log }, reply) => {
    const { id, extension } = await documents.owned(params.id, user.id)
    const folder = body.folder ? (await documents.folder(body.folder, user.id)).id : null
    const name = nameIn(body.name, extension)
    await documents.change(id, { name, folder, isTemplate: body.isTemplate === 'on' })
    await app.editorSessions.rename(id, `${name}.${extension}`, { signal: AbortSignal.timeout(COMMAND_MS) })
      .catch(err => log.warn({ err }, 'open editors still show the old name'))
    return reply.redirect(placeOf(folder), 303)
  })

  app.post('/documents/:id/shares', async ({ user, params, body }, reply) => {
    const { id } = await documents.owned(params.id, user.id)
    if (!(await accounts.all()).some(({ id }) => id === body.user)) throw new NotFound()
    if (!['none', 'view', 'edit'].includes(body.mode)) throw new Wrong('There is no such right')
    await documents.share(id, body.user, body.mode)
    await closeForOthers(app, documents, id, [body.user])
    return reply.redirect(`/documents/${id}/settings`, 303)
  })

  app.post('/documents/:id/delete', async ({ user, params }, reply) => {
    const { id } = await documents.owned(params.id, user.id)
    const rights = await documents.rightsOf(id)
    await documents.change(id, { isDeleted: true })
    await closeForOthers(app, documents, id, rights.map(({ userId }) => userId))
    return reply.redirect('/', 303)
  })
}

export async function adminRoutes (app, { accounts, documents, doctorPath }) {
  app.addHook('onRequest', async ({ user }) => { if (!user.isAdmin) throw new NotFound() })

  app.get('/admin', async ({ user }, reply) => {
    const [users, live] = [await accounts.all(), await app.editorSessions.list({ scan: true })]
    const titles = await documents.titles(live.map(({ fileId }) => fileId))
    const sessions = await Promise.all(live.map(async ({ fileId }) => {
      const ids = await app.editorSessions.users(fileId, { signal: AbortSignal.timeout(COMMAND_MS) }).catch(() => [])
      const names = users.filter(({ id }) => ids.includes(id)).map(({ name }) => name).join(', ')
      return { fileId, title: titles.get(fileId) ?? fileId, names }
    }))
    return send(reply, pages.adminPage({ user, users, sessions, doctorPath }))
  })

  app.post('/admin/users', async ({ body: { login = '', name = '', password = '' } }, reply) => {
    await accounts.add({ login, name: name.trim().slice(0, 100) || login, password })
    return reply.redirect('/admin', 303)
  })

  app.post('/admin/users/:id/disable', async ({ user, params: { id } }, reply) => {
    if (id === user.id) throw new NotAllowed('You cannot disable yourself')
    await accounts.disable(id)
    for (const { fileId } of await app.editorSessions.list({ scan: true })) {
      await closeForOthers(app, documents, fileId, [id])
    }
    return reply.redirect('/admin', 303)
  })

  app.post('/admin/sessions/:id/close', async ({ params }, reply) => {
    await app.editorSessions.drop(params.id, undefined, { signal: AbortSignal.timeout(COMMAND_MS) })
    return reply.redirect('/admin', 303)
  })
}
