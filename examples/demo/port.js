import { createServer } from 'node:net'

const FIRST_PORT = 3000
const LAST_PORT = 3099

/**
 * Chooses the port to listen on. The plugin's options contain it, so it must be known before the app listens.
 * @param {string} host
 * @param {number} [wanted] 0: any free port. Default: the first free port from 3000 on.
 */
export async function choosePort (host, wanted) {
  if (wanted !== undefined) return probe(host, wanted)
  for (let port = FIRST_PORT; port < LAST_PORT; port++) {
    try {
      return await probe(host, port)
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error
    }
  }
  return probe(host, LAST_PORT)
}

/**
 * @param {string} host
 * @param {number} wanted
 * @returns {Promise<number>}
 */
function probe (host, wanted) {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(wanted, host, () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
}
