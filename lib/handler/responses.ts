/** For bytes that came from a user or from elsewhere: whatever they are, a browser must not run them in this origin. */
export const inert = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store'
} as const
