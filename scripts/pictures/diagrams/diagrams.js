// All diagrams of the documentation, drawn from what happens in real sessions.
import { conflict } from './scenes/conflict.js'
import { forceSave } from './scenes/force-save.js'
import { networks } from './scenes/networks.js'
import { open } from './scenes/open.js'
import { refused } from './scenes/refused.js'
import { save } from './scenes/save.js'
import { sessionKeys } from './scenes/session-keys.js'
import { network } from './svg/network.js'
import { sequence } from './svg/sequence.js'
import { timeline } from './svg/timeline.js'

/** By the name of their files. @type {Readonly<Record<string, () => Promise<string>>>} */
export const diagrams = {
  'open.svg': async () => sequence(await open()),
  'save.svg': async () => sequence(await save()),
  'force-save.svg': async () => sequence(await forceSave()),
  'conflict.svg': async () => sequence(await conflict()),
  'refused.svg': async () => sequence(await refused()),
  'session-keys.svg': async () => timeline(await sessionKeys()),
  'networks.svg': async () => network(await networks())
}
