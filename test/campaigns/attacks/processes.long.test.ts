import t from 'tap'
import { attacks } from './attacks.js'
import { testOutcomes } from './attack.js'

t.setTimeout(300_000)

testOutcomes(t, attacks.filter(({ startsProcesses }) => startsProcesses === true))
