import t from 'tap'
import { startHost } from '../kit/host.js'

t.test('hasDocument is true only if name, key and url are all non-blank; otherwise configJson is "null"', async t => {
  const host = await startHost(t)
  const filled = { documentName: 'x', documentKey: 'x', documentUrl: 'x' }
  t.equal(Object.assign(host.app.editorControl(), filled).hasDocument, true)
  for (const name of Object.keys(filled)) {
    for (const blank of ['', '   ', '\t\r\n', '\u00a0']) {
      const control = Object.assign(host.app.editorControl(), filled, { [name]: blank })
      const { hasDocument, configJson, config } = control
      t.strictSame({ hasDocument, configJson, config }, { hasDocument: false, configJson: 'null', config: null }, name)
      t.throws(() => control.render(), { code: 'FST_EDITOR_NO_DOCUMENT' })
    }
  }
})

t.test('in production, and in the classic profile, a page without a document says so', async t => {
  const [secure, classic] = [await startHost(t), await startHost(t, { profile: 'classic' })]
  const { NODE_ENV } = process.env
  t.teardown(() => {
    delete process.env.NODE_ENV
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
  })
  for (const [environment, { app }] of [['production', secure], ['development', classic]] as const) {
    process.env.NODE_ENV = environment
    const page = app.editorControl().render({ lang: 'de' })
    t.match(page, '<script type="application/json">null</script>')
    t.match(
      page,
      /<p dir="auto">Das Dokument konnte nicht ge&#246;ffnet werden<\/p>.*<p dir="auto">The control has no document: await/
    )
  }
  process.env.NODE_ENV = 'development'
  t.throws(() => secure.app.editorControl().render(), { code: 'FST_EDITOR_NO_DOCUMENT' })
})

t.test('a new control has no document', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  const { documentName, documentKey, documentUrl, callbackUrl, hasDocument, configJson } = control
  t.strictSame({ documentName, documentKey, documentUrl, callbackUrl, hasDocument, configJson }, {
    documentName: '', documentKey: '', documentUrl: '', callbackUrl: '', hasDocument: false, configJson: 'null'
  })
})

t.test('hasDocument is computed and cannot be set', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  for (const name of ['hasDocument', 'config', 'configJson']) {
    t.throws(() => { Object.assign(control, { [name]: true }) }, TypeError, name)
  }
  t.equal(control.hasDocument, false)
})

t.test('controls of different documents do not share state', async t => {
  const host = await startHost(t)
  const one = host.app.editorControl()
  await one.uploadDocument(Buffer.from('one'), 'one.docx')
  const two = host.app.editorControl()
  t.equal(two.hasDocument, false)
  t.equal(one.hasDocument, true)
})
