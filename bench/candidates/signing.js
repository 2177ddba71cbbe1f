// Signs a configuration of the editor, again and again.
import jsonwebtoken from 'jsonwebtoken'
import { signedConfig } from '../../dist/lib/control/page.js'
import { tokenSigner } from '../../dist/lib/document-server/token.js'
import { answerCalls } from '../framework/child.js'
import { JWT_SECRET } from '../framework/secret.js'

const BATCH = 50
const DOCUMENT = {
  title: 'Report of the year.docx',
  key: 'Khirz6zTPdfd7gQ9.1Hz8nWq',
  url: `https://app.example.com/Controls/Editor/EditorHandler.ashx?action=download&fileId=0b1c2d3e4f&expires=1795000000&signature=${'x'.repeat(43)}`,
  callbackUrl: `https://app.example.com/Controls/Editor/EditorHandler.ashx?action=callback&fileId=0b1c2d3e4f&signature=${'x'.repeat(43)}`,
  fileType: 'docx'
}
/** @type {any} */
const DEFAULTS = {
  lang: 'en',
  location: 'Example City',
  user: { id: 'user-1', name: 'Ada Example', group: 'editors' },
  permissions: { edit: true, download: true, print: true, review: true, comment: true, fillForms: true, chat: false },
  customization: {
    autosave: true,
    forcesave: true,
    compactHeader: true,
    compactToolbar: false,
    help: false,
    unit: 'cm',
    zoom: 100,
    goback: { url: 'https://app.example.com/documents', text: 'Back to the documents' },
    logo: { image: 'https://app.example.com/logo.svg', url: 'https://app.example.com' },
    customer: {
      name: 'Example Company',
      address: 'Example Street 1, Example City',
      mail: 'office@example.com',
      www: 'example.com',
      info: 'Everything about documents'
    }
  }
}
const tokens = tokenSigner([JWT_SECRET])
const config = /** @type {any} */ ({ ...signedConfig(DOCUMENT, DEFAULTS, tokens, Date.now()), token: undefined })

/** @type {Record<string, () => string>} */
const ways = {
  plugin: () => /** @type {string} */ (signedConfig(DOCUMENT, DEFAULTS, tokens, Date.now()).token),
  jsonwebtoken: () => jsonwebtoken.sign(config, JWT_SECRET, { noTimestamp: true })
}
let make = ways.plugin

answerCalls({
  /** @param {{ way: string }} options */
  start ({ way }) {
    make = ways[way]
    const expected = JSON.stringify(config)
    const [, payload = ''] = make?.().split('.') ?? []
    if (Buffer.from(payload, 'base64url').toString() !== expected) throw new Error(`${way} signs something else`)
  },

  /** @param {import('../framework/measure.js').Length} length */
  round (length) {
    const started = performance.now()
    let operations = 0
    while ('seconds' in length ? performance.now() - started < length.seconds * 1000 : operations < length.operations) {
      for (let made = 0; made < BATCH; made++) make?.()
      operations += BATCH
    }
    return { operations, seconds: (performance.now() - started) / 1000 }
  }
})
