/** Which test file plays which recordings. */
export const groups = {
  sessions: [
    'open-close-unchanged', 'open-edit-close', 'two-users', 'drop-reconnect', 'drop-reload', 'abrupt-drop', 'config-token',
    'download-url-non-ascii', 'download-fails', 'view-mode', 'status-1-refused', 'one-html', 'two-last-leaves-abruptly', 'view-then-edit',
    'same-user-twice', 'reopen-at-once', 'download-403', 'download-cut-then-whole', 'empty-user-id'
  ],
  saves: [
    'save-retried-500-500-200', 'save-refused-error-1', 'forgotten-deleted', 'save-204', 'save-redirect-307', 'save-accepted-reopen',
    'assembly-fails-answer-0', 'assembly-fails-answer-1', 'edit-after-forcesave', 'two-error-string-0', 'two-html', 'two-empty', 'two-s404',
    'twice-s503-then-200', 'redirect-302-to-404', 'six-s500', 'forgotten-edit-save', 'force-save-no-changes', 'corrupted-refused',
    'corrupted-accepted'
  ],
  commands: [
    'forcesave-button', 'forcesave-command', 'forcesave-fails', 'info-command', 'drop-command', 'meta-command', 'commands', 'command-tokens',
    'large-userdata', 'healthcheck', 'cmd-license', 'cmd-info', 'cmd-forcesave', 'cmd-forcesave-slow-host', 'cmd-forgotten',
    'forcesave-while-running', 'forcesave-repeated-slow-host'
  ],
  conversions: ['convert-json', 'convert-xml', 'convert-async', 'convert-errors', 'convert-sticky-3', 'conv-sources']
} as const satisfies Record<string, readonly string[]>
