import { isDeepStrictEqual } from 'node:util'
import { toUrl } from '../../url.js'
import { claimsOf } from '../config-in.js'
import { must, should, type Scenario } from '../types.js'

const THE_KEY = 'the-document-key'
const THE_CONFIGURATION = 'the-configuration-and-its-token'

/** The configuration that the host's page passes to the editor. */
export const configuration: readonly Scenario[] = [
  must('config-opens', 'the configuration is signed with the shared secret, and opens for editing',
    [THE_CONFIGURATION, 'the token must contain `document.key` and `document.url`'],
    'Sign the complete configuration, without its token, as the claims of a JSON Web Token (HS256) with the secret of the document server.',
    async ({ open, expect }) => {
      const session = await open()
      expect(!session.viewOnly, 'a document that can be edited', 'a view-only document')
      expect(session.events.some(({ type }) => type === 'ready'), 'a loaded document', 'none')
    }),
  should('config-signs-all', 'the token signs the configuration that is passed to the editor',
    [THE_CONFIGURATION, 'values of the token replace those of the configuration'],
    'Sign the same object that you pass to DocsAPI.DocEditor: unsigned values can be changed by the user.',
    async ({ given: { config: { token, ...config } }, expect }) => {
      const { iat, exp, nbf, ...claims } = claimsOf(token)
      const names = [...new Set([...Object.keys(config), ...Object.keys(claims)])]
      const different = names.filter(name => !isDeepStrictEqual((config as typeof claims)[name], claims[name]))
      expect(different.length === 0, 'claims that equal the configuration', `a difference in ${different.join(', ')}`)
    }),
  should('config-not-cached', 'no cache keeps the configuration',
    [THE_KEY, 'users with the same key co-edit'],
    'Send Cache-Control: no-store with the configuration or its page: a cached one has the key of an older version.',
    async ({ given: { headers }, expect }) => {
      const value = headers.get('cache-control')
      expect(/no-store|no-cache|max-age=0/.test(value ?? ''), 'Cache-Control: no-store', value ?? 'no Cache-Control')
    }),
  must('key-characters', 'the key has at most 128 characters of 0-9 a-z A-Z . _ = -',
    [THE_KEY, 'a key has characters of'],
    'Make the key of an id and a revision, or hash it: other characters give an endless loading screen.',
    async ({ key, expect }) => {
      expect(/^[\w.=-]{1,128}$/.test(key), 'such a key', JSON.stringify(key.slice(0, 200)))
    }),
  must('key-shared', 'everybody who opens the same version gets the same key',
    [THE_KEY, 'users with the same key co-edit'],
    'Derive the key from the document and its revision, not from the time, the user or a random number: people with different keys overwrite each other.',
    async ({ open, expectKey }) => {
      await expectKey()
      await open()
      await expectKey()
    }),
  must('key-of-one-document', 'two documents have different keys',
    [THE_KEY, 'users with the same key co-edit'],
    'Make the id of the document a part of the key: with one key, two documents become one.',
    async ({ key, other, expect }) => {
      expect(String((await other()).signed.document?.key) !== key, 'different keys', `the key ${key} twice`)
    }),
  must('user-id', 'the user id is not empty, and has at most 128 characters',
    ['saved-2-and-3', '`user.id` `""`: a 1 and then never a 2'],
    'Pass the id of your user, or leave user.id out: with an empty one the document is never saved.',
    async ({ given, expect }) => {
      const id = given.signed.editorConfig?.user?.id
      expect(id === undefined || (id !== null && id !== '' && String(id).length <= 128), 'such an id', JSON.stringify(id))
    }),
  must('callback-url', 'the callback URL is absolute',
    [THE_CONFIGURATION, 'a relative `callbackUrl` opens, with the warning'],
    'Set editorConfig.callbackUrl to a URL with http or https that the document server can reach: without one, edits are lost.',
    async ({ given: { signed: { editorConfig } }, expect }) => {
      const url = editorConfig?.callbackUrl
      expect(/^https?:$/.test(toUrl(url ?? '')?.protocol ?? ''), 'such a URL', url ?? 'none')
    })
]
