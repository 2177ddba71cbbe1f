import { html } from '../html.js'
import { page } from './layout.js'

/** @import { Html } from '../html.js' */
/** @import { DocumentServer } from '../routes/index.js' */
/** @import { Visitor } from '../routes/request.js' */

const COMMANDS = `cd examples/compose
JWT_SECRET=$(openssl rand -hex 32) docker compose up --build`

/**
 * @param {{ documentServer: DocumentServer, visitor: Visitor }} content
 * @returns {Html}
 */
export function realEditorPage ({ documentServer: { url, isEmulated }, visitor }) {
  return page({
    title: 'Use the real editor',
    visitor,
    body: html`
<main class="list narrow" id="content" tabindex="-1">
  <h2>What is running now</h2>
  ${isEmulated
    ? html`<p>An emulated document server, so that <code>npm start</code> needs nothing else. Its editor opens, changes and saves real files, and several people can edit one document, but it knows only the common parts of documents and looks different from ONLYOFFICE Docs. The application is the same with both.</p>`
    : html`<p>The document server of <code>${url}</code>.</p>`}
  <h2>With Docker</h2>
  <p>End this demo, and run in the root of the repository:</p>
  <pre><code>${COMMANDS}</code></pre>
  <p>It builds the demo, starts ONLYOFFICE Docs beside it, and connects the two. The first start takes some minutes. Then open <code>http://127.0.0.1:3000</code>.</p>
  <h2>With a document server that you have</h2>
  <p>Set three variables for <code>npm start</code>:</p>
  <dl>
    <dt><code>EDITOR_API_URL</code></dt>
    <dd>Where the browser loads the editor: <code>https://docs.example.com/web-apps/apps/api/documents/api.js</code></dd>
    <dt><code>JWT_SECRET</code></dt>
    <dd>The secret of the document server: <code>services.CoAuthoring.secret.session.string</code> in its <code>local.json</code>, or its own variable <code>JWT_SECRET</code>.</dd>
    <dt><code>PUBLIC_BASE_URL</code></dt>
    <dd>Where the document server reaches this application: <code>http://192.0.2.7:3000</code>. Not <code>localhost</code>, which is the document server itself there. Set <code>HOST=0.0.0.0</code> as well, so that the demo answers other machines: it has no login, and everybody who reaches it can read and change its documents.</dd>
  </dl>
</main>`
  })
}
