const REASONS = /** @type {Record<number, string>} */ ({
  4004: 'Access denied: what the token signs is not what the page asks for (permissions differ, or the token holds url, key or payload at its top level).',
  4005: 'The token of the configuration has expired: reload the page.',
  4006: 'The token of the configuration is missing or wrong: it must be signed with the secret of the document server and hold document.key, document.url and, where the configuration has them, document.permissions, editorConfig.callbackUrl and editorConfig.mode.'
})

/** Why a document is not opened. @param {number} code @param {string} description what the document server says */
export function refusal (code, description) {
  return [REASONS[code], description].filter(Boolean).join(' — ')
}

// What the editor calls it. Source: docs/document-server-protocol.md#the-editor-in-the-page
const EDITOR_CODES = /** @type {Record<number, number>} */ ({ 4006: -20, [-81]: -4 })

/** The code a page is told by `onError`. @param {number} code of the document server */
export function editorCode (code) {
  return EDITOR_CODES[code] ?? code
}

/** What became of the document when it was closed. @param {{ status: number | null, accepted: boolean }} result */
export function closing ({ status, accepted }) {
  if (!accepted) return 'The host refused to save it: the document server keeps it.'
  if (status === 1) return 'Others go on editing; your changes are saved with theirs.'
  return status === 2 ? 'Your changes were saved.' : 'There was nothing to save.'
}
