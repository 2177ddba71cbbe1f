import { asRecorded } from './as-recorded.js'
import { groups } from './groups.js'

asRecorded(groups.sessions)
