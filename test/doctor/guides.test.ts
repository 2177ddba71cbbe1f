import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readPage, root } from '../docs/markdown.js'

const sources = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !/\.(compiled|d)\.ts$|^assets/.test(name))
  .map(name => ({ name, text: readFileSync(join(root, 'lib', name), 'utf8') }))

t.test('the pages that messages point to are in the npm package, with their headings', async t => {
  const pages = sources.flatMap(({ text }) => [...text.matchAll(/\bguide\('([^']*)'\)/g)].map(([, page]) => page!))
  t.ok(pages.length > 0)
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly files: readonly string[] }
  t.ok(files.includes('docs'))
  for (const page of pages) {
    const [name = '', anchor] = page.split('#')
    t.notOk(files.includes(`!docs/${name.split('/')[0]}`), `docs/${name} is packed`)
    const { anchors } = readPage(`docs/${name}`)
    if (anchor !== undefined) t.ok(anchors.has(anchor), page)
  }
})

t.test('no message names a page in another way', async t => {
  for (const { name, text } of sources) {
    const code = text.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, '').replace(/\bguide\('[^']*'\)/g, '')
    t.notMatch(code, /[\w-]+\.md\b/, name)
  }
})
