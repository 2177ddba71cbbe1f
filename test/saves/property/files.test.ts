import t from 'tap'
import { playRuns } from './runs.js'

t.setTimeout(300_000)

t.test('whatever people, instances and document server do: all get one key, the newest is stored, nothing acknowledged is lost, in files', async t => {
  await playRuns(t, { profile: 'secure', stored: 'files', runs: 60 })
})

t.test('while a service moves from one document server to another, in files', async t => {
  await playRuns(t, { profile: 'secure', stored: 'files', moving: true, runs: 20 })
})
