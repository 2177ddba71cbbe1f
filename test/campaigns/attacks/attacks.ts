import type { Attack } from './attack.js'
import { bodies } from './bodies.js'
import { brokenAnswers } from './broken-answers.js'
import { callbacks } from './callbacks.js'
import { damage } from './damage.js'
import { downloads } from './downloads.js'
import { exhaustion } from './exhaustion.js'
import { headers } from './headers.js'
import { lookingUp } from './looking-up.js'
import { pageActions } from './page-actions.js'
import { paths } from './paths.js'
import { proxying } from './proxying.js'
import { rebinding } from './rebinding.js'
import { savedFiles } from './saved-files.js'
import { scripts } from './scripts.js'
import { secrets } from './secrets.js'
import { sessions } from './sessions.js'
import { tls } from './tls.js'
import { work } from './work.js'

export const attacks: readonly Attack[] = [
  ...downloads,
  ...callbacks,
  ...sessions,
  ...savedFiles,
  ...proxying,
  ...scripts,
  ...headers,
  ...paths,
  ...tls,
  ...work,
  ...damage,
  ...secrets,
  ...exhaustion,
  ...bodies,
  ...lookingUp,
  ...brokenAnswers,
  ...rebinding,
  ...pageActions
]
