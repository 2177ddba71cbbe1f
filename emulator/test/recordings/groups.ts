/** Which test file plays which recordings. */
export const groups = {
  sessions: [
    'open-close-unchanged', 'open-edit-close', 'two-users', 'drop-reconnect', 'drop-reload', 'abrupt-drop', 'config-token',
    'download-url-non-ascii', 'download-fails', 'view-mode', 'status-1-refused', 'one-html', 'two-last-leaves-abruptly', 'view-then-edit',
    'same-user-twice', 'reopen-at-once', 'download-403', 'download-cut-then-whole', 'empty-user-id', 'co-edit-reconnect-save',
    'viewers-only', 'stale-key-edit', 'stale-key-view', 'open-while-two-answered', 'rejoin-within-5s', 'no-callback-url',
    'other-url-same-key', 'wrong-type', 'open-password', 'close-message-then-cut'
  ],
  saves: [
    'save-retried-500-500-200', 'save-refused-error-1', 'forgotten-deleted', 'save-204', 'save-redirect-307', 'save-accepted-reopen',
    'assembly-fails-answer-0', 'assembly-fails-answer-1', 'edit-after-forcesave', 'two-error-string-0', 'two-html', 'two-empty', 'two-s404',
    'twice-s503-then-200', 'redirect-302-to-404', 'six-s500', 'forgotten-edit-save', 'force-save-no-changes', 'corrupted-refused',
    'corrupted-accepted', 'drop-during-save', 'rename-two-users', 'two-refused-then-forcesave', 'six-slow-then-close',
    'forcesave-saved-then-close'
  ],
  commands: [
    'forcesave-button', 'forcesave-command', 'forcesave-fails', 'info-command', 'drop-command', 'meta-command', 'commands', 'command-tokens',
    'large-userdata', 'healthcheck', 'cmd-license', 'cmd-info', 'cmd-forcesave', 'cmd-forcesave-slow-host', 'cmd-forgotten',
    'forcesave-while-running', 'forcesave-repeated-slow-host', 'forcesave-after-close', 'forcesave-together', 'info-three-users',
    'drop-odd-users', 'forgotten-of-key-in-use', 'version-and-license-odd', 'unchanged-cut-info',
    'info-then-leave'
  ],
  conversions: ['convert-json', 'convert-xml', 'convert-async', 'convert-errors', 'convert-sticky-3', 'conv-sources', 'conv-password',
    'conv94-xlsx-to-tsv', 'conv94-tsv-to-xlsx', 'conv94-pdf-to-ooxml']
} as const satisfies Record<string, readonly string[]>
