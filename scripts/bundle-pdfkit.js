// Bundles pdfkit into the built emulator, with the licenses of what is in it: as a dependency, it would bring 25 MB.
import { build } from 'esbuild'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const TARGET = 'dist/lib/conversions/converter/pdfkit.js'

const { metafile } = await build({
  stdin: { contents: "export { default } from 'pdfkit'", resolveDir: '.' },
  outfile: TARGET,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  metafile: true,
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" }
})

const folders = new Set(Object.keys(metafile.inputs).flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
const licenses = await Promise.all([...folders].sort().map(async folder => {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find(file => /^licen[cs]e/i.test(file))
  return `${name} ${version}, ${license}\n\n${file === undefined ? '' : await readFile(join(folder, file), 'utf8')}`
}))
await writeFile(`${TARGET}.licenses.txt`, licenses.join('\n\n'))
