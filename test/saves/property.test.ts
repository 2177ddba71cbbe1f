import t from 'tap'
import { playRuns } from './property/runs.js'

t.setTimeout(300_000)

t.test('whatever people, instances, document server and others who change the file do: all get one key, nothing that was not opened is overwritten, nothing acknowledged is lost, secure', async t => {
  await playRuns(t, { profile: 'secure', stored: 'memory', runs: 450 })
})

t.test('whatever people, instances, document server and others who change the file do: all get one key, no late save is stored, classic', async t => {
  await playRuns(t, { profile: 'classic', stored: 'memory', runs: 90 })
})

t.test('while a service moves from one document server to another: what is saved at one takes the place of nothing that is saved at the other', async t => {
  await playRuns(t, { profile: 'secure', stored: 'memory', moving: true, runs: 130 })
})
