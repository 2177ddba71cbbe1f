import t from 'tap'
import { playRuns } from './property/runs.js'

t.setTimeout(300_000)

t.test('whatever people, instances and document server do: all get one key, the newest is stored, nothing acknowledged is lost, secure', async t => {
  await playRuns(t, { profile: 'secure', stored: 'memory', runs: 600 })
})

t.test('whatever people, instances and document server do: all get one key, the last save is stored, classic', async t => {
  await playRuns(t, { profile: 'classic', stored: 'memory', runs: 130 })
})

t.test('while a service moves from one document server to another: what is saved at one of them takes the place of nothing that is saved at the other', async t => {
  await playRuns(t, { profile: 'secure', stored: 'memory', moving: true, runs: 200 })
})
