import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import t from 'tap'
import { type Link, markdownFiles, type Page, parsePage, readPage, root } from './markdown.js'

// Every link between the pages leads somewhere, every picture can be seen, or heard of, and the pages stay short.

const REPOSITORY = /^https:\/\/github\.com\/fastify-onlyoffice\/fastify-onlyoffice\/(?:blob|tree)\/main\//
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/

const pages = markdownFiles().map(readPage)

t.test('every relative link of every Markdown file leads to a file or a heading that exists', async t => {
  t.ok(pages.some(({ links }) => links.length > 0))
  for (const page of pages) t.strictSame(deadLinks(page), [], page.path)
})

t.test('every picture exists and has an alternative text', async t => {
  const pictures = pages.flatMap(page => page.images.map(image => ({ ...image, page })))
  t.ok(pictures.length > 0)
  for (const { page, line, src, alt } of pictures) {
    t.ok(ABSOLUTE.test(src) || existsSync(join(root, dirname(page.path), src)), `${page.path}:${line}: ${src} exists`)
    t.ok(alt === undefined || alt.trim() !== '', `${page.path}:${line}: ${src} has an alt text`)
  }
})

t.test('dead links are found: to no file, to no heading, out of the repository, in HTML, and as an address at GitHub', async t => {
  const links = ['no.md', 'README.md#no', '#no', '../README.md', 'https://github.com/fastify-onlyoffice/fastify-onlyoffice/tree/main/no']
  const page = parsePage('sample.md', `# A & \`b()\`\n\n[ok](#a--b) [ok](docs/) ${links.map(href => `[x](${href})`).join(' ')} <a href="no.html">x</a>\n`)
  t.strictSame(deadLinks(page).map(text => text.split(' ')[1]), [...links, 'no.html'])
})

t.test('the README has at most 700 words, docs/ at most 16 pages with 15,000, and each begins with its common case', async t => {
  const docs = pages.filter(({ path }) => /^docs\/[\w-]+\.md$/.test(path) && path !== 'docs/public-surface.md') // generated
  t.ok(docs.length <= 16, docs.map(({ path }) => path).join(' '))
  t.ok(wordsOf('README.md') <= 700, `README.md: ${wordsOf('README.md')} words`)
  const words = docs.reduce((sum, { path }) => sum + wordsOf(path), 0)
  t.ok(words <= 15_000, `docs/: ${words} words`)
  for (const { path } of docs) t.match(readFileSync(join(root, path), 'utf8'), /^# .+\n\n(<!-- .+ -->\n)?```/, path)
})

/** Also in code: whatever has a letter or a digit. */
function wordsOf (path: string): number {
  return readFileSync(join(root, path), 'utf8').split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length
}

function deadLinks (page: Page): string[] {
  return page.links.filter(link => !leadsSomewhere(page, link))
    .map(({ line, href }) => `${page.path}:${line}: ${href} leads nowhere`)
}

function leadsSomewhere (page: Page, { href }: Link): boolean {
  const isInRepository = REPOSITORY.test(href)
  if (ABSOLUTE.test(href) && !isInRepository) return true
  const [path = '', anchor] = isInRepository ? href.replace(REPOSITORY, '').split('#') : withoutFolder(page.path, href).split('#')
  const target = path === page.path ? page : pages.find(other => other.path === path)
  if (!target && (path.startsWith('..') || !existsSync(join(root, path)))) return false
  if (anchor === undefined) return true
  // Of a source file, GitHub knows its lines.
  return target ? target.anchors.has(anchor) : statSync(join(root, path)).isFile() && /^L\d+/.test(anchor)
}

function withoutFolder (page: string, href: string): string {
  return href.startsWith('#') ? page + href : relative('.', normalize(join(dirname(page), href)))
}
