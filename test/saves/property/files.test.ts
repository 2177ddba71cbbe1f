import t from 'tap'
import { playRuns } from './runs.js'

t.setTimeout(300_000)

t.test('whatever people, instances, document server and others who change the file do: all get one key, nothing that was not opened is overwritten, nothing acknowledged is lost, in files', async t => {
  await playRuns(t, { profile: 'secure', stored: 'files', runs: 40 })
})

t.test('while a service moves from one document server to another: what is saved at one takes the place of nothing that is saved at the other, in files', async t => {
  await playRuns(t, { profile: 'secure', stored: 'files', moving: true, runs: 15 })
})
