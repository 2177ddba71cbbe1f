import { blankFileTypes, typedName } from 'fastify-onlyoffice'
import { Wrong } from './errors.js'

const COMMAND_MS = 5000
const PERMISSIONS = { edit: 'Full Access', view: 'Read Only' }

// What the plugin asks of this application.
export function editorHooks (app, documents) {
  return {
    versions: { keep: 50 },
    recovery: { interval: 600_000 },
    doctor: { authorize: (_target, { request }) => request.user?.isAdmin ? 'grant' : false },

    // The rights of an open page may be hours old, and its user may have logged out, or in as somebody else.
    async authorize (target, { request }) {
      if (target.action === 'callback' || target.action === 'download') return undefined
      const { user } = request
      if (!user) return false
      if (target.fileId === undefined) return undefined
      const document = await documents.find(target.fileId, user.id)
      if (!document) return false
      if (!('rights' in target)) return undefined
      return target.user?.id === user.id && (document.mode === 'edit' || !target.rights.edit) ? undefined : false
    },

    // An old page may join again with the configuration that it has.
    onSessionStart: ({ fileId, users = [] }) => closeForOthers(app, documents, fileId, users),
    onCallback ({ fileId, status, users = [] }) {
      if (status === 1) closeForOthers(app, documents, fileId, users) // not awaited: it causes the next callback
    },

    async onSaved ({ fileId, stored, conflict }) {
      if (conflict) await documents.addCopy(fileId, stored.fileId, stored.fileType)
      else await documents.change(fileId, { extension: stored.fileType })
    },
    onSaveFailed: ({ error }, { log }) => log.fatal({ err: error }, 'not stored'), // must alert somebody
    async onForgotten ({ fileId, fileType: extension, content }) {
      const copy = await app.editorStorage.create(extension, content)
      await documents.addCopy(fileId, copy.fileId, extension)
    },

    actions: {
      page: ({ fileId }) => `/documents/${fileId}`,
      title: async ({ fileId, user }) => (await documents.find(fileId, user.id))?.title,
      editRights: async ({ fileId, user }) => (await documents.find(fileId, user.id))?.mode === 'edit',
      rename: async ({ fileId, name }) => await documents.change(fileId, { name }),
      async saveAs ({ user, title, fileType, content }) {
        const { fileId } = await app.editorStorage.create(fileType, content)
        const named = { name: title.slice(0, -fileType.length - 1), extension: fileType }
        await documents.add({ id: fileId, owner: user.id, ...named })
        return { fileId }
      },
      async templates ({ user, search = '' }) {
        const found = await documents.templates(user.id)
        const isMeant = ({ title }) => title.toLowerCase().includes(search.trim().toLowerCase())
        return found.filter(isMeant).map(({ id, title, extension }) => ({ id, title, fileType: extension }))
      },
      async create ({ user, template, fileType = 'docx', lang }) {
        const id = await createDocument(app, documents, { owner: user.id, from: template ?? fileType, lang })
        return { url: `/documents/${id}` }
      },
      async sharing ({ fileId, user }) {
        const rights = await documents.rightsOf(fileId)
        const { owner } = await documents.readable(fileId, user.id)
        return {
          settings: rights.map(({ name, mode }) => ({ user: name, permissions: PERMISSIONS[mode] })),
          ...owner === user.id && { url: `/documents/${fileId}/settings` }
        }
      }
    }
  }
}

// Closes the editors of those among `users` who may not edit (any more).
export async function closeForOthers (app, documents, fileId, users) {
  try {
    const rights = await documents.rightsOf(fileId)
    const others = users.filter(id => !rights.some(({ userId, mode }) => userId === id && mode === 'edit'))
    const signal = AbortSignal.timeout(COMMAND_MS)
    if (others.length > 0) await app.editorSessions.drop(fileId, others, { signal })
  } catch (err) {
    app.log.error({ err, fileId }, 'an editor could not be closed')
  }
}

// Like a template that the owner may read, or blank: then `from` is a file type. Resolves to its ID.
export async function createDocument (app, documents, { owner, folder, name = 'Untitled', from, lang = 'en' }) {
  const template = blankFileTypes.includes(from) ? undefined : await documents.readable(from, owner)
  const checked = nameIn(name, template?.extension ?? from)
  const { fileId: id } = await app.editorControl({ lang }).createDocument(template ? { from } : from)
  const { fileType: extension } = await app.editorStorage.stat(id) // of a template dotx: docx
  await documents.add({ id, owner, folder, name: checked, extension })
  return id
}

// Without paths and invisible characters.
export function nameIn (typed, extension = 'folder') {
  const { name } = typedName(typed, extension)
  if (name === undefined) throw new Wrong('This name cannot be used')
  return name
}
