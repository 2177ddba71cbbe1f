// Draws docs/diagrams/*.svg again. npm run diagrams
import { mkdir, writeFile } from 'node:fs/promises'
import { diagrams } from './diagrams/diagrams.js'

const DIRECTORY = new URL('../../docs/diagrams/', import.meta.url)

await mkdir(DIRECTORY, { recursive: true })
for (const [name, draw] of Object.entries(diagrams)) {
  await writeFile(new URL(name, DIRECTORY), await draw())
  console.log(`docs/diagrams/${name}`)
}
