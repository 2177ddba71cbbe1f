// The browser's files are served as they are written: the build copies them beside the compiled modules.
// node scripts/copy-assets.js <folder below a package's root> …
import { cp } from 'node:fs/promises'

for (const directory of process.argv.slice(2)) {
  await cp(directory, `dist/${directory}`, { recursive: true })
}
