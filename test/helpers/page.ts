import type { EditorConfig } from 'onlyoffice-emulator'

/** The configuration in a page with `control.render()`, for a document server's `open()`. */
export async function configOf (url: string, init?: RequestInit): Promise<EditorConfig> {
  const response = await fetch(url, init)
  const json = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(await response.text())?.[1]
  if (json === undefined) throw new Error(`${url} answered ${response.status} without an editor`)
  return JSON.parse(json) as EditorConfig
}
