/** Paths a real document server does not have: the page that tells what goes on here, and what drives it by HTTP. */
export function isOwnPath (url: string): boolean {
  return /^\/(emulator\/.*|emulator)?(\?|$)/i.test(url)
}

/** What an editor page loads for itself. */
export function isEditorAsset (url: string): boolean {
  return url.startsWith('/web-apps/apps/documenteditor/')
}
