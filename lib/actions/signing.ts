import type { Signed, SignedMethods } from '../../types/signed-data.js'

/** `EditorControl.sign` for the editor's methods. */
export type SignMethod = <Method extends keyof SignedMethods>(
  method: Method,
  data: SignedMethods[Method]
) => Signed<SignedMethods[Method]>
