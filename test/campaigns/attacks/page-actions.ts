import type { FastifyInstance, FastifyRequest } from 'fastify'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { ActionOptions } from '../../../lib/index.js'
import { HANDLER } from '../../kit/host.js'
import { answerWith, startUpstream } from '../../kit/http.js'
import type { AlwaysStopped, TargetOptions } from './attack.js'
import { JSON_TYPE, startTarget, type Target } from './target.js'

const PAGE = 'a page with a document of their own'

/** Sends what the attacker's page may send, and more. Resolves to the answer. */
type Ask = (
  action: string,
  body: object,
  headers?: Record<string, string>
) => Promise<{ readonly status: number, readonly text: string }>

interface Steps {
  readonly title: string
  readonly because: string
  /** What the plugin is told. */
  readonly options?: (folder: string) => object
  /** Routes as many applications have them, at the paths of the actions. */
  readonly naive: (app: FastifyInstance, folder: string) => void
  /** Resolves to whether the attack had its effect. */
  readonly steps: (t: Test, ask: Ask, target: Target, folder: string) => Promise<boolean>
}

/** The same steps against the plugin's actions, and against routes that do what the request says. */
function asking ({ title, because, options = () => ({}), naive, steps }: Steps): AlwaysStopped {
  async function run (t: Test, profile: TargetOptions, isNaive: boolean): Promise<boolean> {
    const folder = join(t.testdir({ 'secret.docx': 'secret' }), 'folder')
    await mkdir(folder)
    const target = await startTarget(t, {
      ...profile,
      ...isNaive ? { prepare: app => naive(app, folder), server: { disableRequestLogging: true } } : options(folder)
    })
    const { pageToken } = await target.app.editorControl({ user: { id: 'mallory', name: 'Mallory' } }).openDocument(
      target.own
    )
    const path = isNaive ? '/naive' : `${HANDLER}/actions`
    return await steps(
      t,
      async (action, body, headers = {}) => {
        const response = await fetch(`${target.origin}${path}/${action}`, {
          method: 'POST',
          headers: { ...JSON_TYPE, 'x-editor-page-token': pageToken, ...headers },
          body: JSON.stringify(body)
        })
        return { status: response.status, text: await response.text() }
      },
      target,
      folder
    )
  }
  return {
    title,
    has: PAGE,
    because,
    run: (t, profile) => run(t, profile, false),
    control: (t, profile) => run(t, profile, true)
  }
}

const bodyOf = ({ body }: FastifyRequest) => body as Record<string, string>

/** Has the application fetch what the page names, as a copy, a version or an image. */
const fetching = asking({
  title:
    'has the application fetch a URL of the inside, or the settings of the document server, as a file that the editor has made',
  because: 'of the URLs that a page names only result files of the document server are fetched',
  options: () => ({
    versions: {},
    actions: {
      saveAs: true,
      reference: () => null,
      notify: () => {},
      page: (fileId: string) => `/edit/${fileId}`
    } satisfies ActionOptions
  }),
  naive: app => {
    app.post('/naive/save-as', async request => await (await fetch(bodyOf(request).url!)).text())
  },
  async steps (t, ask, { documentServer }) {
    const inside = await startUpstream(t, answerWith('inside'))
    for (
      const url of [
        `${inside.origin}/`,
        `${inside.origin}/cache/files/x`,
        `${documentServer.origin}/redirect?${encodeURIComponent(inside.origin)}`,
        `${documentServer.origin}/info/info.json`,
        `${documentServer.origin}/cache/files/../../info/info.json`
      ]
    ) {
      await ask('save-as', { url, title: 'x', fileType: 'txt' })
      await ask('restore', { version: 1, url, fileType: 'txt' })
      await ask('reference', { link: url, path: url })
      await ask('notify', { emails: ['a@b'], message: url, link: url })
    }
    return inside.connections() > 0 || documentServer.requests.some(path => path.startsWith('/info'))
  }
})

const climbing = asking({
  title: 'reads a file beside the versions of a document, by a version number with ../',
  because: 'a version is a number, and versions are looked up by it',
  options: () => ({ versions: {} }),
  naive: (app, folder) => {
    app.post(
      '/naive/history-data',
      async request => await readFile(join(folder, String(bodyOf(request).version)), 'utf8')
    )
  },
  async steps (_t, ask) {
    const answers = []
    for (
      const version of [
        '../secret.docx',
        '..%2fsecret.docx',
        '1/../../secret.docx',
        '..\\secret.docx',
        ['../secret.docx'],
        { toString: '../secret.docx' },
        '1',
        1.5,
        -1,
        0,
        1e21
      ]
    ) {
      for (const action of ['history-data', 'restore']) answers.push(await ask(action, { version }))
    }
    return answers.some(({ text, status }) => text.includes('secret') || (status === 200 && !text.includes('error')))
  }
})

const separating = asking({
  title: 'has a file stored in another folder, by a name with separators',
  because: 'a name with separators is refused, or they are replaced',
  options: folder => {
    const store = async ({ name, title = name }: { readonly name: string, readonly title?: string }) =>
      await writeFile(join(folder, title), 'evil')
    return { actions: { rename: store, saveAs: store } satisfies ActionOptions }
  },
  naive: (app, folder) => {
    app.post('/naive/rename', async request => await writeFile(join(folder, bodyOf(request).name!), 'evil'))
  },
  async steps (_t, ask, { evilUrl }, folder) {
    for (
      const name of [
        '../evil.txt',
        '..\\evil.txt',
        '/../evil.txt',
        '..%2fevil.txt',
        '../evil.txt\u0000.txt',
        '．．／evil.txt'
      ]
    ) {
      await ask('rename', { name, title: name })
      await ask('save-as', { url: evilUrl, title: name, fileType: 'txt' })
    }
    const outside = await access(join(folder, '..', 'evil.txt')).then(() => true, () => false)
    return outside || (await readdir(folder, { withFileTypes: true })).some(entry => entry.isDirectory())
  }
})

const believed = new Set<string | undefined>()
const impersonating = asking({
  title: 'acts as another user, named by a header, a cookie, the query or the body',
  because: 'the user is that of the page\'s token',
  options: () => ({
    actions: {
      rename: ({ user }) => {
        believed.add(user?.id)
      },
      users: ({ user }) => {
        believed.add(user?.id)
        return []
      }
    } satisfies ActionOptions
  }),
  naive: app => {
    app.post('/naive/rename', async ({ headers }) => {
      believed.add(headers.userid as string)
    })
  },
  async steps (_t, ask) {
    believed.clear()
    const user = { id: 'admin', name: 'Admin' }
    const headers = {
      userid: 'admin',
      'x-user-id': 'admin',
      'x-forwarded-user': 'admin',
      'remote-user': 'admin',
      cookie: 'userid=admin; user=admin',
      authorization: `Basic ${Buffer.from('admin:').toString('base64')}`
    }
    await ask(
      'rename',
      { name: 'x', user, userid: 'admin', userId: 'admin', defaults: { user }, __proto__: { user } },
      headers
    )
    await ask('rename?userid=admin&userId=admin', { name: 'x', constructor: { prototype: { user } } }, headers)
    await ask('users', { c: 'info', id: ['admin'], user }, headers)
    return believed.has('admin')
  }
})

const copied = new Set<string | undefined>()
const copying = asking({
  title: 'has a document made from somebody else\'s, named as a template',
  because: 'the page chooses only from templates that it was offered',
  options: () => ({
    actions: {
      templates: () => [{ id: 'letter', name: 'Letter' }],
      create: ({ template }) => {
        copied.add(template)
        return { url: '/new' }
      }
    } satisfies ActionOptions
  }),
  naive: app => {
    app.post('/naive/create', async request => {
      copied.add((request.body as { template?: { id?: string } }).template?.id)
    })
  },
  async steps (_t, ask) {
    copied.clear()
    const { choices } = JSON.parse((await ask('templates', {})).text || '{}') as { choices?: Array<{ data: { token: string } }> }
    const token = choices?.[0]?.data.token ?? ''
    for (const id of ['secret', '../secret', 'letter/../secret', ' letter']) {
      for (const proof of [token, `${token}x`, '']) await ask('create', { template: { id, token: proof } })
    }
    return copied.size > 0
  }
})

/** What applications fall to that answer the editor with code of their own. */
export const pageActions: readonly AlwaysStopped[] = [fetching, climbing, separating, impersonating, copying]
