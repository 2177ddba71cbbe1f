import type { DocumentServerOptions } from '../../types/document-server.js'
import { UsageError } from './server-options.js'

const EXPLANATIONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free port`,
  EACCES: (host, port) => `no permission to use port ${port} on ${host}: choose one above 1023`,
  EADDRNOTAVAIL: host => `--host ${host} is not an IP address or name of this machine`,
  ENOTFOUND: host => `--host ${host} is not an IP address or name of this machine`
}

/** A `UsageError` if the document server can't start because of its options, else the error itself. */
export function explained (
  error: NodeJS.ErrnoException, { host = '', port = 0 }: Pick<DocumentServerOptions, 'host' | 'port'>
): Error {
  const reason = EXPLANATIONS[error.code ?? '']?.(host, port) ??
    (error instanceof TypeError ? error.message.replace(/^allowedHosts: /, '--allowed-host: ') : undefined)
  return reason === undefined ? error : new UsageError(reason)
}
