import t from 'tap'
import { pageActions } from './page-actions.js'
import { testOutcomes } from './outcomes.js'
testOutcomes(t, pageActions)
