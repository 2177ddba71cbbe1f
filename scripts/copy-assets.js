// The browser's files are served as they are written: the build copies them beside the compiled modules.
import { cp } from 'node:fs/promises'

for (const directory of ['lib/browser', 'lib/testing/page']) {
  await cp(directory, `dist/${directory}`, { recursive: true })
}
