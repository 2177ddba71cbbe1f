import type { Attack } from './attack.js'
import { callbacks } from './callbacks.js'
import { downloads } from './downloads.js'
import { proxying } from './proxying.js'
import { savedFiles } from './saved-files.js'
import { work } from './work.js'

export const attacks: readonly Attack[] = [...downloads, ...callbacks, ...savedFiles, ...proxying, ...work]
