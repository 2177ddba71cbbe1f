import type { DoctorFinding } from '../../types/doctor.js'
import type { Settings } from '../options.js'
import { weaknessOf } from '../security/weak-secret.js'
import { ok, warning } from './findings.js'
import { localPublicUrl, mixedContent } from './start-warnings.js'

type CheckedSettings = Pick<Settings, 'bodyLimit' | 'documentServer' | 'editorApiUrl' | 'profile' | 'publicBaseUrl' | 'secrets' | 'tls'>

/** A callback with the history of some thousand changes has this size. */
const LARGE_CALLBACK_BYTES = 1024 ** 2

/** What can be said of the options without asking anybody. */
export function checkOptions (settings: CheckedSettings): DoctorFinding[] {
  const { bodyLimit, profile, secrets, tls } = settings
  const weakness = secrets.map(weaknessOf).find(Boolean)
  const findings = [
    profile === 'classic' && warning('PROFILE_CLASSIC', 'profile is \'classic\': callbacks and downloads need no credentials, and the proxy fetches any URL.', 'Set profile: \'secure\', or leave the option out.'),
    profile === 'secure' && !tls.rejectUnauthorized && warning('TLS_NOT_VERIFIED', 'tls.rejectUnauthorized is false: whoever is between this application and the document server can read and change saved files.', 'Remove tls.rejectUnauthorized, and give the certificate authority to the option tls.ca.'),
    bodyLimit < LARGE_CALLBACK_BYTES && warning('BODY_LIMIT_OPTION', `bodyLimit is ${bodyLimit} bytes: callbacks with a long history have more, and their saves are refused.`, 'Remove bodyLimit (4 MiB by default), or set it to at least 1048576.'),
    weakness !== undefined && warning('WEAK_SECRET', `jwtSecret ${weakness}, and allowWeakSecret accepts it.`, 'Create a secret with `openssl rand -hex 32` for this application and the document server.'),
    localPublicUrl(settings),
    mixedContent(settings)
  ].filter(finding => typeof finding === 'object')
  return findings.length > 0 ? findings : [ok('OPTIONS', 'Nothing is wrong that can be seen without a connection.')]
}
