// Starts a storage as a user who sees no processes of others, while one of them is writing:
// `hidden-processes.ts <directory>`. Prints the temp files before and after.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { hasEnded, processName } from '../../lib/storage/process-identity.js'
import { asOrdinaryUser, namesIn } from '../kit/storage.js'

const NOBODY = 65534
const [directory] = process.argv.slice(2) as [string]
const writing = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'traced', 'endless-replace.ts'), directory])
await once(writing.stdout, 'data')
const before = await namesIn(directory)
const owner = before.find(name => name.includes('~'))!.split('~').slice(1, 3).join('~')

// The group of the super-user would see them.
process.setgroups!([NOBODY])
process.setegid!(NOBODY)
const seen = await asOrdinaryUser(async () => {
  await fileStorage({ directory }).ready()
  return {
    isHidden: await readFile(`/proc/${writing.pid}/stat`).then(() => false, () => true),
    hasEnded: { theirs: hasEnded(owner), ours: hasEnded(processName()) }
  }
})
process.stdout.write(JSON.stringify({ before, after: await namesIn(directory), ...seen }))
writing.kill('SIGKILL')
