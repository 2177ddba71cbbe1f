// A module that was removed or renamed must not live on in the package.
import { rm } from 'node:fs/promises'

await rm('dist', { recursive: true, force: true })
