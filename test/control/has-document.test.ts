import t from 'tap'
import { startHost } from '../kit/host.js'

const values = { filled: 'x', empty: '', blank: '   ', 'tabs and newlines': '\t\r\n', 'no-break space': '\u00a0' }

t.test('hasDocument is true only if name, key and url are all non-blank; otherwise configJson is "null"', async t => {
  const host = await startHost(t)
  for (const [nameIs, name] of Object.entries(values)) {
    for (const [keyIs, key] of Object.entries(values)) {
      for (const [urlIs, url] of Object.entries(values)) {
        const control = host.app.editorControl()
        control.documentName = name
        control.documentKey = key
        control.documentUrl = url
        const expected = nameIs === 'filled' && keyIs === 'filled' && urlIs === 'filled'
        const label = `name ${nameIs}, key ${keyIs}, url ${urlIs}`
        t.equal(control.hasDocument, expected, label)
        t.equal(control.configJson === 'null', !expected, label)
        t.equal(control.config === null, !expected, label)
        if (!expected) t.match(control.render(), '<script type="application/json">null</script>', label)
      }
    }
  }
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
  await one.setDocumentFromBytes(Buffer.from('one'), 'one.docx')
  const two = host.app.editorControl()
  t.equal(two.hasDocument, false)
  t.equal(one.hasDocument, true)
})
