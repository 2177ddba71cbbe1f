/** @param {string} url */
export async function fetchJson (url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return await response.json()
}
