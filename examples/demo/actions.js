import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname } from 'node:path'
import { baseOf } from './formats.js'
import { languageOf } from './languages.js'
import { BY_NAME, sorted } from './sorting.js'
import { portraitOf, users } from './users.js'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */
/** @import { ActionOptions, PageUser } from 'fastify-onlyoffice' */
/** @import { Document, Documents } from './documents.js' */
/** @import { Messages } from './messages.js' */

const IMAGES = new URL('public/images/', import.meta.url)
const IMAGES_PATH = '/public/images'
const TEMPLATES = new URL('templates/', import.meta.url)

/**
 * What the editor asks of this application. The plugin has checked that the page may ask for it, and for whom it was
 * made.
 * @param {FastifyInstance} app
 * @param {{ documents: Documents, messages: Messages, publicBaseUrl: string }} options
 * @returns {ActionOptions}
 */
export function createActions (app, { documents, messages, publicBaseUrl }) {
  return {
    links: true,
    page: ({ fileId }) => pageOf(fileId),
    title: async ({ fileId }) => (await documents.existing(fileId)).name,

    async rename ({ fileId, title }) {
      await documents.rename(fileId, title)
    },

    async saveAs ({ user, title, fileType, content }) {
      const { fileId } = await app.editorStorage.create(fileType, content)
      const { name: added } = await documents.add(fileId, title)
      return { fileId, title: added, url: pageOf(fileId, user) }
    },

    async images ({ search = '' }, { request }) {
      const names = await readdir(IMAGES)
      return names.filter(name => contains(name, search)).map(name => ({
        title: baseOf(name),
        fileType: 'png',
        url: `${publicBaseUrl}${IMAGES_PATH}/${name}`,
        thumbnail: `${originOf(request)}${IMAGES_PATH}/${name}`
      }))
    },

    documents: async ({ fileId, search }) => await choices('word', fileId, search),
    spreadsheets: async ({ fileId, search }) => await choices('cell', fileId, search),

    async reference ({ path, link, referenceData }) {
      const id = referenceData?.fileKey ?? idIn(link)
      const name = path?.split(/[/\\]/).at(-1)
      const found = (await documents.list()).find(document =>
        id === undefined ? document.name === name : document.id === id
      )
      return found ? { fileId: found.id, title: found.name } : null
    },

    users ({ kind, ids = [], search = '', from = 0, count }) {
      const found = kind === 'info'
        ? users.filter(({ id }) => ids.includes(id))
        : users.filter(({ name, email }) => contains(name, search) || contains(email, search))
      return found.slice(from, count && from + count).map(user => ({
        id: user.id,
        name: user.name,
        email: user.email,
        image: `data:image/svg+xml;base64,${Buffer.from(portraitOf(user)).toString('base64')}`
      }))
    },

    async notify ({ fileId, user, emails, message, link }) {
      const { name } = await documents.existing(fileId)
      for (const { id, email } of users) {
        if (emails.includes(email)) {
          messages.add({
            to: id,
            from: nameOf(user),
            what: 'mentioned you in',
            document: { id: fileId, name },
            text: withNames(message),
            url: link ? pathOf(link) : pageOf(fileId)
          })
        }
      }
    },

    sharing: () => users.map(({ name }) => ({ user: name, permissions: 'Full Access' })),

    editRights: () => true,

    async favorite ({ fileId, favorite }) {
      await documents.favor(fileId, favorite)
    },

    async templates ({ search = '' }) {
      const names = await readdir(TEMPLATES)
      return names.filter(name => contains(name, search))
        .map(name => ({ id: name, title: baseOf(name), fileType: extname(name).slice(1) }))
    },

    /** `template` is one of these: the plugin has checked that the page got it from `templates`. */
    async create ({ user, template, fileType = 'docx', lang = '' }) {
      const control = app.editorControl()
      const { fileId, documentName } = template === undefined
        ? await control.createDocument(fileType, { lang: languageOf([lang]) })
        : await control.createDocument({ from: { title: template, content: contentOf(template) } })
      await documents.add(fileId, documentName)
      return { url: pageOf(fileId, user) }
    }
  }

  /**
   * Other documents that the user may choose.
   * @param {string} kind
   * @param {string} fileId
   * @param {string} [search]
   */
  async function choices (kind, fileId, search = '') {
    /** @param {Document} document */
    const isOffered = document => document.kind === kind && document.id !== fileId && contains(document.name, search)
    const offered = (await documents.list()).filter(isOffered)
    return sorted(offered, BY_NAME).map(({ id, name }) => ({ fileId: id, title: name }))
  }
}

/** @param {string} template */
function contentOf (template) {
  return createReadStream(new URL(encodeURIComponent(template), TEMPLATES))
}

/**
 * @param {string} id
 * @param {PageUser} [user] who opens it
 */
function pageOf (id, user) {
  return user ? `/edit/${id}?user=${user.id}` : `/edit/${id}`
}

/**
 * The document of such a page.
 * @param {string | undefined} link
 */
function idIn (link) {
  return link === undefined
    ? undefined
    : /^\/edit\/([^/]+)$/.exec(URL.parse(link, 'http://localhost')?.pathname ?? '')?.[1]
}

/**
 * The browser may reach this application at another host than the document server does.
 * @param {string} link
 */
function pathOf (link) {
  const { pathname, search } = new URL(link, 'http://localhost')
  return pathname + search
}

/** @param {FastifyRequest} request */
function originOf ({ protocol, host }) {
  return `${protocol}://${host}`
}

/**
 * A comment with the names of those whom it mentions: the editor sends `+` and their addresses.
 * @param {string} text
 */
function withNames (text) {
  return users.reduce((changed, { email, name }) => changed.replaceAll(`+${email}`, name), text)
}

/** @param {PageUser | undefined} user */
function nameOf (user) {
  return user?.name ?? 'Somebody'
}

/**
 * @param {string} text
 * @param {string} search
 */
function contains (text, search) {
  return text.toLowerCase().includes(search.trim().toLowerCase())
}
