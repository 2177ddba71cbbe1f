import { fileStorage } from '../../../lib/storage/file-storage.js'

async function * endless () {
  yield Buffer.from('half of it')
  process.stdout.write('writing')
  await new Promise(resolve => setTimeout(resolve, 60_000))
}

await fileStorage({ directory: process.argv[2]! }).replace('a', endless())
