/**
 * Ends the process with one line if a port is in use, instead of a stack trace. Throws any other error.
 * @param {NodeJS.ErrnoException} error
 * @param {{ host: string, port: number | undefined }} address
 * @returns {never}
 */
export function endIfInUse (error, { host, port }) {
  if (error.code !== 'EADDRINUSE') throw error
  console.error(`Port ${port} on ${host} is in use: choose another one with PORT=…`)
  process.exit(1)
}
