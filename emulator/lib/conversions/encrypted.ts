const OFFICE_OPEN_XML = /^(doc|xls|ppt)[xm]$/
// An encrypted Office Open XML file is not a zip file but a compound file. Source: MS-OFFCRYPTO.
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Whether a document needs a password to be read. */
export function isEncrypted (bytes: Uint8Array, fileType: string): boolean {
  return OFFICE_OPEN_XML.test(fileType) && COMPOUND_FILE.equals(bytes.subarray(0, COMPOUND_FILE.length))
}
