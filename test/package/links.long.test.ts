import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parsePage } from '../docs/markdown.js'
import { filesBelow, installPacked, type PackageName, root } from '../kit/programs.js'

const REPOSITORY = 'https://github.com/fastify-onlyoffice/fastify-onlyoffice/'
/** A file, a folder, or a picture to show, of the repository's main branch. */
const OF_REPOSITORY = /^https:\/\/(?:github\.com|raw\.githubusercontent\.com)\/fastify-onlyoffice\/fastify-onlyoffice\/(?:(?:blob|tree|raw)\/)?main\/([^#?]+)/

t.setTimeout(300_000)

for (const name of ['fastify-onlyoffice', 'onlyoffice-emulator'] satisfies PackageName[]) {
  t.test(`every link in the Markdown files of ${name} leads to what is packed, or is an absolute https URL`, async t => {
    const { directory } = await installPacked(t, name)
    const folder = join(directory, 'node_modules', name)
    const packed = await filesBelow(folder)
    const pages = new Map(await Promise.all(packed.filter(file => file.endsWith('.md'))
      .map(async file => [file, parsePage(file, await readFile(join(folder, file), 'utf8'))] as const)))

    /** What is wrong with a link, `undefined` if nothing is. */
    function fault (page: string, link: string): string | undefined {
      if (/^[a-z][a-z\d+.-]*:/i.test(link)) {
        const path = OF_REPOSITORY.exec(link)?.[1]
        if (path !== undefined && !existsSync(join(root, decodeURI(path)))) return 'the repository has no such file'
        return /^(?:https:\/\/|mailto:)/.test(link) ? undefined : 'is neither https nor mailto'
      }
      const { pathname, hash } = new URL(link, `file:///${page}`)
      const file = decodeURI(pathname.slice(1))
      const outside = '../'.repeat(page.split('/').length)
      if (link.startsWith(outside) || !packed.includes(file)) return `is not packed: write ${REPOSITORY}blob/main/…, or tree/main/… of a folder`
      const target = pages.get(file)
      if (hash && target !== undefined && !target.anchors.has(decodeURIComponent(hash.slice(1)))) return 'leads to a heading that does not exist'
      return undefined
    }

    const links = [...pages].flatMap(([page, { links, images }]) =>
      [...links.map(({ href }) => href), ...images.map(({ src }) => src)].map(link => ({
        page,
        link,
        fault: fault(page, link)
      }))
    )
    t.ok(links.length > 3, `${links.length} links`)
    t.strictSame(links.filter(({ fault }) => fault).map(({ page, link, fault }) => `${page}: ${link} ${fault}`), [])
  })
}

t.test('links are found in Markdown and HTML, and headings have the anchors of GitHub', async t => {
  const { links, images, anchors } = parsePage(
    'sample.md',
    '# `a.b()` & [c](x.md)\n## Same\n## Same\n```md\n# No [link](no.md)\n```\n![picture](y.png) <img src="z.png"> `[code](no.md)` [w][name] <a href="v.md" id="here">\n\n[name]: w.md\n'
  )
  t.strictSame(links.map(({ href }) => href), ['x.md', 'w.md', 'v.md'])
  t.strictSame(images.map(({ src }) => src), ['y.png', 'z.png'])
  t.strictSame([...anchors].sort(), ['ab--c', 'here', 'same', 'same-1'])
})
