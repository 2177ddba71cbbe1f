const YEAR_S = 365 * 24 * 60 * 60

/**
 * Remembers a choice; the server reads it when it makes a page.
 * @param {string} name
 * @param {string | null} value `null` forgets it.
 */
export function remember (name, value) {
  document.cookie = `${name}=${value ?? ''}; path=/; max-age=${value === null ? 0 : YEAR_S}; samesite=strict`
}
