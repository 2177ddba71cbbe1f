const REASONS = /** @type {Record<number, string>} */ ({
  4004:
    'Access denied: the token does not match the configuration (permissions differ, or the token has url, key or payload at its top level).',
  4005: 'The token of the configuration has expired. Reload the page.',
  4006:
    'The token of the configuration is missing or invalid. It must be signed with the secret of the document server and contain document.key, document.url and, if the configuration has them, document.permissions, editorConfig.callbackUrl and editorConfig.mode.'
})

/** Why a document can't be opened. @param {number} code @param {string} description from the document server */
export function refusal (code, description) {
  return [REASONS[code], description].filter(Boolean).join(' — ')
}

// The editor's own codes. Source: docs/document-server-protocol.md#the-editor-in-the-page
const EDITOR_CODES = /** @type {Record<number, number>} */ ({ 4006: -20, [-80]: -82, [-81]: -4 })

/** The code for the event `onError`. @param {number} code of the document server */
export function editorCode (code) {
  return EDITOR_CODES[code] ?? code
}
