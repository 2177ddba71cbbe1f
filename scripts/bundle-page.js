// Bundles lib/browser for the pages that the plugin serves: one file that every page loads, and one for each part that
// it loads when it needs it. Each is named by its content, and lies beside what a browser gets that accepts brotli or
// gzip. Written to lib/assets, for what runs from the sources, and to dist/lib/assets.
import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const SOURCES = 'lib/browser'
const TARGETS = ['lib/assets', 'dist/lib/assets']

/** Parts that share no state with the page's module: each has its own copy of what it imports. */
const PARTS = ['dialogs.js']

/** @type {Map<string, Uint8Array>} */
const files = new Map()

const parts = Object.fromEntries(await Promise.all(PARTS.map(async name => [name, await bundle(name, {})])))
const editor = await bundle('editor.js', parts)
// The same instance of everything: an editor that the element mounts is known to the page's module, too.
await bundle('document-editor.js', { 'index.js': editor })
for (const target of TARGETS) await update(target)

/**
 * Returns the name of the file.
 * @param {string} entry
 * @param {Record<string, string>} elsewhere names of files by those of modules that are not to be in this one
 */
async function bundle (entry, elsewhere) {
  const names = new Map(Object.entries(elsewhere).map(([module, file]) => [resolve(SOURCES, module), `./${file}`]))
  const { outputFiles: [output] } = await build({
    entryPoints: [join(SOURCES, entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    write: false,
    plugins: [{
      name: 'elsewhere',
      setup ({ onResolve }) {
        onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
          const file = names.get(resolve(resolveDir, path))
          return file === undefined ? undefined : { path: file, external: true }
        })
      }
    }]
  })
  if (output === undefined) throw new Error(`esbuild has made nothing of ${entry}`)
  const { contents } = output
  const name = `${basename(entry, '.js')}-${createHash('sha256').update(contents).digest('hex').slice(0, 12)}.js`
  files.set(name, contents)
  files.set(
    `${name}.br`,
    await promisify(brotliCompress)(contents, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: contents.length
      }
    })
  )
  files.set(`${name}.gz`, await promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION }))
  return name
}

/**
 * Leaves alone what is there already: tests may be reading it.
 * @param {string} folder
 */
async function update (folder) {
  await mkdir(folder, { recursive: true })
  for (const [name, content] of files) {
    const path = join(folder, name)
    const present = await readFile(path).catch(() => undefined)
    if (present === undefined || !present.equals(content)) await writeFile(path, content)
  }
  for (const name of await readdir(folder)) {
    if (!files.has(name)) await rm(join(folder, name))
  }
}
