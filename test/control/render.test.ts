import { once } from 'node:events'
import http from 'node:http'
import t from 'tap'
import type { EditorControlDefaults, RenderOptions, SignedConfig } from '../../lib/index.js'
import { HANDLER, type Host, startHost } from '../kit/host.js'

const hostile = {
  'end of a script': '</script><script>alert(1)</script>.docx',
  'end in capitals and blanks': '</SCRIPT ><img src=x onerror=alert(1)>.docx',
  comment: '<!--<script>.docx',
  'end of a comment': '-->.docx',
  'line separators': 'a\u2028b\u2029c.docx',
  entities: '&lt;/script&gt; &amp;amp;.docx',
  quotes: '"\' onload="alert(1).docx',
  CDATA: ']]><![CDATA[.docx',
  'null and bell': 'a\0\u0007.docx',
  'lone surrogate': 'a\ud800b.docx'
}

async function withDocument ({ app }: Host) {
  return await app.editorControl().uploadDocument(Buffer.from('x'), 'a.txt')
}

for (const [what, name] of Object.entries(hostile)) {
  t.test(`a document name with ${what} cannot inject markup into the page and is read back unchanged`, async t => {
    const host = await startHost(t)
    const control = host.app.editorControl({ user: { id: '7', name }, customization: { customer: { name } } })
    await control.uploadDocument(Buffer.from('x'), 'a.docx')
    control.documentName = name
    const fragment = control.render()

    const scripts = [...fragment.matchAll(/<script([^>]*)>([\s\S]*?)<\/script/gi)] // ends where a browser ends it
    t.equal(scripts.length, 2)
    const [[, attributes, json], [, moduleAttributes, inline]] = scripts as unknown as [[string, string, string], [string, string, string]]
    t.equal(attributes, ' type="application/json"')
    t.notMatch(json, /[<>&\u2028\u2029]/)
    t.equal(inline, '', 'no inline script')
    t.match(moduleAttributes, /^ type="module" src="[^"]+"$/)
    t.strictSame(JSON.parse(json), JSON.parse(control.configJson))
    t.equal(JSON.parse(json).document.title, name)
    t.equal(fragment.match(/<(?!\/)/g)?.length, 12, 'no other elements')
  })
}

t.test('the fragment references the document server\'s script, the handler and a module that the plugin serves', async t => {
  const host = await startHost(t, { documentServerOrigin: 'https://docs.example.com', publicBaseUrl: 'https://app.example.com/office' })
  const fragment = (await withDocument(host)).render()
  const handler = `/office${HANDLER}`
  t.match(fragment, ' data-api="https://docs.example.com/web-apps/apps/api/documents/api.js"')
  t.match(fragment, ` data-handler="${handler}"`)
  const [, name] = new RegExp(`<script type="module" src="${handler}/assets/(editor-[0-9a-f]{12}\\.js)"></script>$`).exec(fragment)!

  const module = await fetch(`${host.origin}${HANDLER}/assets/${name}`)
  t.equal(module.status, 200)
  t.match(module.headers.get('content-type'), /javascript/)
  const source = await module.text()
  t.notMatch(source, /(?:^|[;}])(?:import|export)\b[^;]*from\s*["']/, 'it is all in one')
  const imports = [...source.matchAll(/import\("\.\/([\w.-]+)"\)/g)]
  t.ok(imports.length > 0)
  for (const [, name] of imports) {
    const imported = await fetch(`${host.origin}${HANDLER}/assets/${name}`)
    t.match([imported.status, imported.headers.get('cache-control')], [200, /immutable/], `and ${name}, which it imports when it needs it`)
  }
  for (const path of ['/assets', '/assets/', '/assets/../plugin.js', '/assets/%2e%2e/plugin.ts', '/assets/..%2fplugin.ts', '/assets/nothing.js']) {
    const response = await fetch(host.origin + HANDLER + path)
    t.ok(response.status === 404 || response.status === 403, path)
  }
})

t.test('a page with a document lets the browser fetch api.js at once; the same links are there for headers, also before the document is opened', async t => {
  const host = await startHost(t, { documentServerOrigin: 'https://docs.example.com', publicBaseUrl: 'https://app.example.com/office' })
  const control = host.app.editorControl()
  const links = (html: string) => html.match(/<link[^>]*>/g)
  const before = control.links
  const { fileId } = await host.storage.create('txt', Buffer.from('x'))
  const fragment = (await control.openDocument(fileId)).render()
  t.strictSame(links(fragment), [
    '<link href="https://docs.example.com" rel="preconnect">',
    '<link href="https://docs.example.com/web-apps/apps/api/documents/api.js" rel="preload" as="script">'
  ])
  t.match(fragment, /^<div class="onlyoffice-editor" data-onlyoffice-editor/, 'the element is still the first one')
  const [, module] = /<script type="module" src="([^"]+)"/.exec(fragment)!
  t.strictSame(control.links, before)
  t.strictSame(before, [
    '<https://docs.example.com>; rel=preconnect',
    '<https://docs.example.com/web-apps/apps/api/documents/api.js>; rel=preload; as=script',
    `<${module}>; rel=modulepreload`
  ])
})

t.test('links are valid headers, whatever the URLs contain', async t => {
  const { app, origin } = await startHost(t, {
    editorApiUrl: 'https://docs.example.com/<api>,;.js?a="b"&c=<d>, <e>',
    path: '/office/<handler>,;é',
    prepare (app) {
      app.get('/page', async (_request, reply) => {
        const { links } = app.editorControl()
        reply.writeEarlyHints({ link: links })
        return await reply.header('link', links).send('page')
      })
    }
  })
  const request = http.get(`${origin}/page`)
  const hinted = once(request, 'information')
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  response.resume()
  const [{ statusCode, headers: hints }] = await hinted as [http.InformationEvent]
  t.equal(statusCode, 103)
  t.equal(hints.link, response.headers.link)
  const { links } = app.editorControl()
  t.equal(hints.link, links.join(', '))
  for (const link of links) t.match(link, /^<[^<>"\s]+>; rel=[a-z]+(?:; as=script)?$/)
  t.equal((await fetch(new URL(/<([^>]+)>/.exec(links[2]!)![1]!, origin))).status, 200)
})

t.test('URLs in the configuration cannot break out of their attribute', async t => {
  const host = await startHost(t, { editorApiUrl: 'https://docs.example.com/api.js?a="onx=\'&b=<c>' })
  const fragment = (await withDocument(host)).render()
  const api = /data-api="([^"]*)"/.exec(fragment)![1]!
  t.notMatch(api, /[<>']/)
  const decoded = api.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
  t.equal(decoded, new URL('https://docs.example.com/api.js?a="onx=\'&b=<c>').href)
  t.equal(fragment.match(/<(?!\/)/g)?.length, 12)
})

t.test('texts of the page are an attribute that nothing can break out of; unknown ones and those that are no strings throw', async t => {
  const host = await startHost(t)
  const control = await withDocument(host)
  const texts = { loading: 'Einen Moment…', unreachable: '"><script>alert(1)</script>&amp;\u2028\'' }
  const fragment = control.render({ messages: texts })
  const json = / data-messages="([^"]*)"/.exec(fragment)![1]!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
  t.match(JSON.parse(json), texts)
  t.match(fragment, '<p dir="auto">&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;&#8232;&#39;</p>')
  t.equal(fragment.match(/<(?!\/)/g)?.length, 12, 'no other elements')

  for (const [messages, message] of [
    [{ tryagain: 'x' }, 'Option messages.tryagain is unknown: use '],
    [{ constructor: 'x' }, 'Option messages.constructor is unknown'],
    [{ failed: 7 }, 'Option messages.failed must be a string'],
    [{ failed: null }, 'Option messages.failed must be a string'],
    ['text', 'Option messages must be an object']
  ] as const) {
    t.throws(() => control.render({ messages: messages as object }), { code: 'FST_EDITOR_INVALID_OPTION', message })
  }
})

t.test('events, the way back and the language are attributes and fields of the signed configuration, also of those that the page asks for later', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('x'))
  async function rendered (options: RenderOptions, defaults: EditorControlDefaults = {}) {
    const fragment = (await host.app.editorControl(defaults).openDocument(fileId)).render(options)
    const [, json] = /<script type="application\/json">(.*?)<\/script>/.exec(fragment)!
    const [, pageToken] = / data-page-token="([^"]*)"/.exec(fragment)!
    const later = await fetch(`${host.origin}${HANDLER}/actions/config`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken! },
      body: '{"purpose":"reopen"}'
    })
    const { editorConfig, document } = JSON.parse(json!)
    const { config } = await later.json() as { config: SignedConfig }
    t.strictSame([config.editorConfig, config.document.info], [editorConfig, document.info], 'the same when it is asked for later')
    return { fragment, info: document.info, ...editorConfig }
  }
  const closing = await rendered({ events: ['onRequestClose', 'onRequestHistory'], lang: 'de' }, { customization: { zoom: 50 }, lang: 'fr' })
  t.match(closing.fragment, ' data-events="onRequestClose onRequestHistory"')
  t.match(closing, { lang: 'de', customization: { zoom: 50 } })
  t.notMatch(closing.fragment, 'data-close-url')

  const back = await rendered({ closeUrl: '/list?a="><script>&b=1' }, { editorConfig: { customization: { close: { text: 'Back' }, zoom: 60 } } })
  t.match(back.fragment, ' data-close-url="/list?a=&#34;&#62;&#60;script&#62;&#38;b=1"')
  t.strictSame(back.customization, { macros: false, plugins: false, close: { text: 'Back' }, zoom: 60 }, 'the page decides whether the editor shows its close button')

  t.strictSame((await rendered({ events: ['onRequestSharingSettings'] })).info, {}, 'without it the editor crashes')
  t.strictSame((await rendered({ events: ['onRequestSharingSettings'] }, { document: { info: { owner: 'Ada' } } })).info, { owner: 'Ada' })
  const plain = await rendered({})
  t.notOk(plain.info)
  t.notMatch(plain.fragment, /data-events|data-close-url/)

  const wrong = {
    events: ['onRequestClose', ['close'], ['onRequestClose onError'], ['onX"'], [7], ['']],
    closeUrl: ['javascript:alert(1)', 'data:text/html,x', '//evil.example.com', '/\\evil.example.com', 'list', '', 7],
    lang: ['', 'x', 'de_DE', 'de"', 7],
    nonce: ['', 'a b', 'nonce-é', 'abc"', "'nonce-abc'", 'abc===', '=', 7],
    events2: [[]]
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      t.throws(() => host.app.editorControl().render({ [name]: value } as object), {
        code: 'FST_EDITOR_INVALID_OPTION',
        message: `Option ${name}`
      }, `${name}: ${String(value)}`)
    }
  }
})

t.test('two fragments on one page have different ids', async t => {
  const host = await startHost(t)
  const control = await withDocument(host)
  const ids = Array.from({ length: 10 }, () => /<div id="([^"]+)"/.exec(control.render())![1])
  t.equal(new Set(ids).size, 10)
})
