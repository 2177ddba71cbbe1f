import type { EditorOptions, Profile } from '../types/options.js'

/** The defaults that differ between the profiles. An option that is given overrides its profile. */
type ProfileSettings = Required<Pick<EditorOptions, 'requireToken' | 'signedUrls' | 'allowPrivateAddresses' | 'allowWeakSecret' | 'onCorrupted' | 'onMissingFile' | 'onFormatChange' | 'onConflict'>> & {
  readonly preserveCsv: boolean
  readonly anyOrigin: boolean
  readonly requireProxyToken: boolean
  readonly crossOrigin: boolean
  readonly rejectUnauthorized: boolean
  readonly minVersion: NonNullable<NonNullable<EditorOptions['tls']>['minVersion']>
}

export const profiles: Record<Profile, ProfileSettings> = {
  secure: {
    requireToken: true,
    signedUrls: true,
    allowPrivateAddresses: false,
    allowWeakSecret: false,
    onCorrupted: 'keep',
    onMissingFile: 'reject',
    onFormatChange: 'follow',
    onConflict: 'keep-both',
    preserveCsv: true,
    anyOrigin: false,
    requireProxyToken: true,
    crossOrigin: false,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2'
  },
  classic: {
    requireToken: false,
    signedUrls: false,
    allowPrivateAddresses: true,
    allowWeakSecret: true,
    onCorrupted: 'discard',
    onMissingFile: 'acknowledge',
    onFormatChange: 'ignore',
    onConflict: 'overwrite',
    preserveCsv: false,
    anyOrigin: true,
    requireProxyToken: false,
    crossOrigin: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1'
  }
}
