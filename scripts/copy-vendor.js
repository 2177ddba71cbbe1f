// Copies what the emulator's page imports from packages beside the built page, with the licenses. The packages as a
// whole are twenty times as large.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { licensesOf } from './licenses.js'

const PAGE = 'dist/lib/page/browser'

const html = await readFile(join(PAGE, 'index.html'), 'utf8')
const { imports } = JSON.parse(/<script type="importmap">([^]*?)<\/script>/.exec(html)?.[1] ?? '{}')
await mkdir(join(PAGE, 'vendor'), { recursive: true })
const files = await Promise.all(Object.entries(imports).map(async ([name, path]) => {
  const file = fileURLToPath(import.meta.resolve(name))
  await copyFile(file, join(PAGE, path))
  return file
}))
await writeFile(join(PAGE, 'vendor', 'licenses.txt'), await licensesOf(files))
