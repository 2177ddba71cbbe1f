import t from 'tap'
import { ADA, startHost } from '../kit/host.js'

t.test('reply.editor sends a whole page, which no cache keeps, and none without a document', async t => {
  const pages: Readonly<Record<string, object>> = { plain: {}, none: {}, promise: {}, own: { title: 'Mine', lang: 'fr', nonce: 'a+/_-w==' }, wrong: { titel: 'Mine' } }
  const { app, origin } = await startHost(t, {
    prepare (app) {
      app.get('/:page', async (request, reply) => {
        const { page } = request.params as { page: string }
        reply.header('link', '</help>; rel=help')
        const control = app.editorControl({ user: ADA, lang: 'de' })
        if (page === 'promise') return reply.editor(control.createDocument('docx') as unknown as typeof control)
        if (page !== 'none') await control.uploadDocument(Buffer.from('x'), 'A <b>.docx')
        return reply.editor(control, pages[page])
      })
    }
  })
  const get = async (page: string) => {
    const response = await fetch(`${origin}/${page}`)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }
  const plain = await get('plain')
  t.match(plain, { status: 200, headers: { 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' } })
  t.equal(plain.headers.link, ['</help>; rel=help', ...app.editorControl().links].join(', '))
  t.match(plain.body, /^<!doctype html>\n<html lang="de">[^]*<title>A &#60;b&#62;\.docx<\/title>[^]*<div class="onlyoffice-editor"/)
  const own = await get('own')
  t.match(own.body, /<html lang="fr">[^]*<title>Mine<[^]*"lang":"fr"/)
  t.equal(own.body.match(/<(?:link|script)[^>]* nonce="a\+\/_-w=="/g)?.length, 2, 'of api.js and of the module')
  t.match(own.headers.link, /api\.js>; rel=preload; as=script; nonce="a\+\/_-w=="/)
  t.match(await get('none'), { status: 500, body: 'FST_EDITOR_NO_DOCUMENT' })
  t.match(await get('promise'), { status: 500, body: 'Option control must be a control: await' })
  t.match(await get('wrong'), { status: 500, body: 'titel is unknown' })
})
