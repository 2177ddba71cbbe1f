import t from 'tap'
import { playRuns } from './runs.js'
t.setTimeout(900_000)
const [profile, stored, moving] = (process.env.KIND ?? 'secure,memory,').split(',') as ['secure', 'memory', string]
t.test(`${profile} ${stored} ${moving}`, async t => { await playRuns(t, { profile, stored, moving: moving === 'moving', runs: 100 }) })
