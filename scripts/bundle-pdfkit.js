// Bundles pdfkit into the built emulator, with the licenses of what is in it: as a dependency, it would bring 25 MB.
import { build } from 'esbuild'
import { writeFile } from 'node:fs/promises'
import { licensesOf } from './licenses.js'

const TARGET = 'dist/lib/documents/converter/pdfkit.js'

const { metafile } = await build({
  stdin: { contents: "export { default } from 'pdfkit'", resolveDir: '.' },
  outfile: TARGET,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  metafile: true,
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" }
})

await writeFile(`${TARGET}.licenses.txt`, await licensesOf(Object.keys(metafile.inputs)))
