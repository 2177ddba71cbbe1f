/*
An application in Express, without the plugin. It opens documents in the editor and stores what is saved.

It does the minimum that an application has to get right: it uses only signed fields, fetches only from the document
server, stores a save completely before it acknowledges it, and gives the next session a new key.

Unlike fastify-onlyoffice, it does not check who may open or save a document; a leaked token is valid for every
document until it expires; redirects of saved files are refused instead of checked; a save that is not a document of
its format is stored anyway; two processes of this application would overwrite each other's saves; failed saves are
not reported; and there is no history, conversion or page.
*/
import express from 'express'
import { createSigner, createVerifier } from 'fast-jwt'
import { documentsIn } from './documents.js'

const LARGEST = 100 * 1024 * 1024
const DOWNLOAD_WITHIN_MS = 60_000

/** @param {{ jwtSecret: string, documentServer: string, address: string, directory: string }} options */
export function createApp ({ jwtSecret, documentServer, address, directory }) {
  const sign = createSigner({ key: jwtSecret, algorithm: 'HS256', expiresIn: 300_000 })
  const verify = createVerifier({ key: jwtSecret, algorithms: ['HS256'], clockTolerance: 60_000 })
  const documents = documentsIn(directory)
  const oneByOne = queues()
  const app = express()

  app.param(
    'name',
    (request, response, next, name) => /^[A-Za-z0-9]{1,40}\.[a-z]{3,4}$/.test(name) ? next() : response.sendStatus(404)
  )

  app.put('/documents/:name', express.raw({ type: () => true, limit: LARGEST }), async (request, response) => {
    const { name } = request.params
    await oneByOne(name, async () => {
      if (await documents.revision(name) > 0) return response.sendStatus(409)
      await documents.write(name, 1, request.body)
      response.sendStatus(204)
    })
  })

  app.get('/documents/:name', async (request, response) => {
    const { name } = request.params
    const revision = await documents.revision(name)
    if (revision === 0) return response.sendStatus(404)
    response.type('application/octet-stream').send(await documents.read(name, revision))
  })

  /** The configuration that the page passes to `new DocsAPI.DocEditor(…)`. */
  app.get('/documents/:name/config', async (request, response) => {
    const { name } = request.params
    const { user = 'Somebody' } = /** @type {{ user?: string }} */ (request.query)
    const revision = await documents.revision(name)
    if (revision === 0) return response.sendStatus(404)
    const config = {
      document: {
        key: `${name}-${revision}`,
        title: name,
        fileType: name.split('.')[1],
        url: `${address}/download/${name}`
      },
      editorConfig: {
        callbackUrl: `${address}/callback/${name}`,
        mode: 'edit',
        user: { id: user.toLowerCase(), name: user }
      }
    }
    response.set('cache-control', 'no-store').json({ ...config, token: sign(config) })
  })

  /** For the document server, which signs the URL it fetches. */
  app.get('/download/:name', async (request, response) => {
    const { name } = request.params
    const signed = headerClaims(request)?.payload
    if (signed?.url !== `${address}/download/${name}`) return response.sendStatus(403)
    response.type('application/octet-stream').send(await documents.read(name, await documents.revision(name)))
  })

  app.post('/callback/:name', express.json({ limit: '2mb' }), async (request, response) => {
    const { name } = request.params
    const { token } = request.body ?? {} // the other fields of the body are not signed
    const callback = token === undefined ? headerClaims(request)?.payload : claims(token)
    const [, keyName, number] = /^(.+)-(\d+)$/.exec(callback?.key ?? '') ?? []
    if (keyName !== name) return response.status(403).json({ error: 1 })
    await oneByOne(name, async () => save(name, Number(number), callback))
    // after a 3 that is answered 0 the document server deletes the changes
    response.json({ error: callback.status === 3 ? 1 : 0 })
  })

  app.use(
    (
      /** @type {Error} */ error,
      /** @type {express.Request} */ request,
      /** @type {express.Response} */ response,
      /** @type {express.NextFunction} */ next
    ) => {
      console.error(error.message)
      response.status(500).json({ error: 1 })
    }
  )

  /** An error becomes status 500: the document server then tries again. */
  async function save (
    /** @type {string} */ name,
    /** @type {number} */ opened,
    /** @type {any} */ { status, url, filetype, forcesavetype }
  ) {
    if (status !== 2 && status !== 6) return
    // Everybody who sees a document can submit it as a form, viewers too.
    if (status === 6 && forcesavetype === 3) throw new Error('Submitted forms are not stored')
    if (filetype !== name.split('.')[1]) throw new Error(`The document was saved as ${filetype}`)
    const bytes = await download(url)
    if (await documents.revision(name) > opened) {
      if (bytes.equals(await documents.read(name, opened + 1))) return // a repeat: it is stored already
      throw new Error('The document was saved in another session in the meantime')
    }
    // A force save does not end the session: its key, and so its revision, stays the same.
    await documents.write(name, status === 2 ? opened + 1 : opened, bytes)
  }

  async function download (/** @type {string} */ url) {
    if (new URL(url).origin !== new URL(documentServer).origin) {
      throw new Error('The saved file is not at the document server')
    }
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(DOWNLOAD_WITHIN_MS) })
    if (response.status !== 200 || Number(response.headers.get('content-length')) > LARGEST) {
      throw new Error(`The saved file could not be fetched: status ${response.status}`)
    }
    return Buffer.from(await response.arrayBuffer()) // rejects if the response is truncated
  }

  const headerClaims = (/** @type {express.Request} */ request) =>
    claims(request.get('authorization')?.replace(/^Bearer /, ''))

  /** @returns {any} The claims of a valid token, otherwise `null`. */
  function claims (/** @type {unknown} */ token) {
    try {
      return verify(String(token))
    } catch {
      return null
    }
  }

  return app
}

/** Runs the tasks of each document one after another. */
function queues () {
  /** @type {Map<string, Promise<unknown>>} */
  const last = new Map()
  return (/** @type {string} */ name, /** @type {() => Promise<unknown>} */ task) => {
    const next = (last.get(name) ?? Promise.resolve()).catch(() => {}).then(task)
    last.set(name, next)
    return next
  }
}
