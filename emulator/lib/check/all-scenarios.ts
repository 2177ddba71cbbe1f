import type { Scenario } from './types.js'
import { answers } from './scenarios/answers.js'
import { configuration } from './scenarios/configuration.js'
import { downloads } from './scenarios/downloads.js'
import { order } from './scenarios/order.js'
import { results } from './scenarios/results.js'
import { saves } from './scenarios/saves.js'
import { callbackTokens } from './scenarios/tokens.js'

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [
  ...configuration, ...downloads, ...saves, ...order, ...callbackTokens, ...results, ...answers
]
