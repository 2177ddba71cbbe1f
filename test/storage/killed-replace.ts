// Saves document `a` in another format and is killed before a call to the file system, after it was announced:
// `killed-replace.ts <directory> <name of the call>`. Sends its ticket.
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { fileStorage } from '../../lib/storage/file-storage.js'

const [directory, name] = process.argv.slice(2) as [string, 'link' | 'unlink' | 'rename']

await fileStorage({ directory }).replace('a', Buffer.from('new'), {
  extension: 'odt',
  async beforePublish (_info, ticket) {
    await new Promise(resolve => process.send!(ticket, resolve))
    fs[name] = async () => await new Promise(() => { process.kill(process.pid, 'SIGKILL') })
    syncBuiltinESMExports()
  }
})
