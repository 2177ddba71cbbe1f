/** Which test plays which recordings: a few processes, because starting one is what takes time. */
export const groups = {
  sessions: [
    'open-close-unchanged', 'open-edit-close', 'two-users', 'drop-reconnect', 'drop-reload', 'abrupt-drop', 'config-token',
    'download-url-non-ascii', 'download-fails', 'view-mode', 'status-1-refused'
  ],
  saves: [
    'save-retried-500-500-200', 'save-refused-error-1', 'forgotten-deleted', 'save-204', 'save-redirect-307', 'save-accepted-reopen',
    'assembly-fails-answer-0', 'assembly-fails-answer-1', 'edit-after-forcesave'
  ],
  commands: [
    'forcesave-button', 'forcesave-command', 'forcesave-fails', 'info-command', 'drop-command', 'meta-command', 'commands', 'command-tokens',
    'large-userdata', 'healthcheck'
  ],
  conversions: ['convert-json', 'convert-xml', 'convert-async', 'convert-errors', 'convert-sticky-3']
} as const satisfies Record<string, readonly string[]>
