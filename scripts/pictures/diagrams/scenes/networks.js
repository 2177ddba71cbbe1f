import { readFile } from 'node:fs/promises'

/** @typedef {{ page: string, editorApiUrl: string, publicBaseUrl: string, internalUrl: string }} Addresses */

const COMPOSE = new URL('../../../../examples/compose/docker-compose.yml', import.meta.url)

/** The addresses of the example with containers. */
export async function networks () {
  const compose = await readFile(COMPOSE, 'utf8')
  const [, port] = /"127\.0\.0\.1:(\d+):3000"/.exec(compose) ?? []
  const addresses = {
    page: `http://127.0.0.1:${port}`,
    editorApiUrl: setting('EDITOR_API_URL'),
    publicBaseUrl: setting('PUBLIC_BASE_URL'),
    internalUrl: setting('DOCUMENT_SERVER_INTERNAL_URL')
  }
  return { title: 'Which address is used by whom, in the example with Docker Compose.', addresses }

  /** @param {string} name */
  function setting (name) {
    const [, value] = new RegExp(`${name}: (\\S+)`).exec(compose) ?? []
    if (value === undefined) throw new Error(`docker-compose.yml has no ${name}`)
    return value
  }
}
