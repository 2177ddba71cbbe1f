import t from 'tap'
import { configIn } from '../../lib/check/config-in.js'

const config = { document: { key: 'k-1', url: 'http://host/k', title: 'a "quoted" } title & <more>' }, editorConfig: { user: { name: "O'Neil" } } }
const json = JSON.stringify(config)
const attribute = json.replace(/[&"'<>]/g, letter => `&#${letter.charCodeAt(0)};`)

t.test('the configuration is found in JSON, in a script and in an attribute of a page', t => {
  for (const body of [
    json, `\uFEFF${json}`, JSON.stringify({ ok: true, data: { list: [1, { config }] } }),
    `<script>window.state = {"other": {"a": 1}}; new DocsAPI.DocEditor("editor", ${json})</script>`,
    `<p>{ "unbalanced</p><script type="application/json">${json.replaceAll('<', '\\u003c')}</script>`,
    `<div data-config='${attribute}'></div>`
  ]) t.same(configIn(Buffer.from(body)), config, body)
  t.end()
})

t.test('anything else is none', t => {
  for (const body of ['', 'null', '[]', '{"document":{"title":"x"}}', '<html>', '{"token":"a.b.c"}', '{"'.repeat(1000)]) {
    t.equal(configIn(Buffer.from(body)), undefined, body.slice(0, 50))
  }
  t.end()
})

t.test('in a page, the configuration is found at any depth, after any rubbish', t => {
  const deep = Array.from({ length: 12 }, (_, n) => n).reduce<unknown>((inner, n) => ({ [`a${n}`]: [-1.5e3, '\\"\u0041', inner, null] }), config)
  for (const [name, page] of Object.entries({
    'deep in a script': `<script>x = ${JSON.stringify(deep)}</script>`,
    'in an object that never ends': `<script>x = {"a": [true, ${json}, </script>`,
    'in an object that is no JSON': `<script>x = {"a": ${json}, "b": undefined}</script>`,
    'after an odd quote': `<p>{"a": "</p><script>x = ${json}</script>`
  })) t.same(configIn(Buffer.from(page)), config, name)
  t.end()
})
