// The page's texts in other languages than English.
import { readdir } from 'node:fs/promises'
import t, { type Test } from 'tap'
import type { EditorControlDefaults, RenderOptions } from '../../lib/index.js'
import { englishMessages } from '../../types/messages.js'
import { startHost } from '../kit/host.js'

const FILES = new URL('../../lib/control/languages/', import.meta.url)
const ENGLISH: Readonly<Record<string, string>> = englishMessages

/** As in other languages. */
const SAME_IN = new Set(['dismiss', 'download'])

function placeholders (text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
}

async function start (t: Test) {
  const { app, storage } = await startHost(t)
  const { fileId } = await storage.create('docx', Buffer.from('PK'))
  return async function render (defaults: EditorControlDefaults, options: RenderOptions = {}) {
    const html = (await app.editorControl(defaults).openDocument(fileId, { title: 'Übersicht.docx' })).render(options)
    const [element = ''] = /^<div[^]*?>/.exec(html) ?? []
    t.match(html, /^[ -~\n]*$/, 'a page without a charset shows the same')
    const json = / data-messages="([^"]*)"/.exec(element)?.[1]!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    return { lang: / lang="([^"]*)"/.exec(element)?.[1], texts: json === undefined ? undefined : JSON.parse(json) as Readonly<Record<string, string>> }
  }
}

t.test('each language has all texts, with the same placeholders', async t => {
  const render = await start(t)
  const languages = (await readdir(FILES)).map(file => file.replace('.json', ''))
  t.equal(languages.length, 14)
  for (const language of languages) {
    const { texts, lang } = await render({ lang: language as 'de' })
    t.equal(lang, language)
    t.strictSame(Object.keys(texts!), Object.keys(ENGLISH), `${language}: all, in this order`)
    const wrong = Object.entries(texts!).filter(([name, text]) => {
      const english = ENGLISH[name]!
      return placeholders(text).join() !== placeholders(english).join() || text.trim() !== text || text === '' ||
        (text === english && !SAME_IN.has(name)) || text.endsWith('…') !== english.endsWith('…')
    })
    t.strictSame(wrong, [], language)
    // an application may pass them on, changed
    t.strictSame((await render({}, { messages: texts! })).texts, texts)
  }
})

t.test('the language is that of the editor: of a regional one the main one, of an unknown one English', async t => {
  const render = await start(t)
  const portuguese = (await render({ lang: 'pt' })).texts
  t.match(portuguese, { cancel: 'Cancelar' })
  for (const lang of ['pt-BR', 'PT-pt', 'pt_BR']) t.strictSame(await render({ lang: lang as 'pt' }), { texts: portuguese, lang: 'pt' }, lang)
  t.strictSame(await render({ editorConfig: { lang: 'pt' } }), { texts: portuguese, lang: 'pt' })
  t.match(await render({ lang: 'pt' }, { lang: 'de' }), { lang: 'de', texts: { cancel: 'Abbrechen' } })
  for (const lang of ['', 'en', 'en-GB', 'sv', 'ptt', '../de', '__proto__', 'constructor', '-de']) {
    t.strictSame(await render({ lang: lang as 'en' }), { texts: ENGLISH, lang: undefined }, lang)
  }
})

t.test('texts of the application replace those of the language', async t => {
  const render = await start(t)
  t.match(await render({ lang: 'de' }, { messages: { cancel: 'Nein' } }), { lang: 'de', texts: { cancel: 'Nein', search: 'Suchen' } })
  t.match((await render({ lang: 'de' })).texts, { cancel: 'Abbrechen' }, 'of this page only')
  t.strictSame(await render({ lang: 'sv' as 'en' }, { messages: { cancel: 'Nej' } }), { lang: undefined, texts: { ...ENGLISH, cancel: 'Nej' } })
})
