// A module that was removed or renamed must not live on in the package.
import { rm } from 'node:fs/promises'

for (const directory of ['dist', 'emulator/dist']) await rm(directory, { recursive: true, force: true })
// Nor must what another version of the compiler made of a test.
await rm('.tap/javascript', { recursive: true, force: true })
