import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

/**
 * Reads the environment variables that server.js documents.
 * @param {NodeJS.ProcessEnv} env
 */
export function readSettings (env) {
  if (env.EDITOR_API_URL && !env.JWT_SECRET) {
    throw new Error('EDITOR_API_URL needs JWT_SECRET, the secret of that document server')
  }
  const profile = env.PROFILE || 'secure'
  if (profile !== 'secure' && profile !== 'classic') throw new Error('PROFILE must be secure or classic')

  const thumbnails = env.THUMBNAILS || 'on'
  if (thumbnails !== 'on' && thumbnails !== 'off') throw new Error('THUMBNAILS must be on or off')

  const port = env.PORT ? Number(env.PORT) : undefined
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65536)) {
    throw new Error('PORT must be a port number')
  }

  return {
    host: env.HOST || '127.0.0.1',
    allowedHosts: (env.ALLOWED_HOSTS ?? '').split(',').map(name => name.trim()).filter(name => name !== ''),
    /** `undefined`: the first free port from 3000 on. */
    port,
    dataDirectory: env.DATA_DIR || fileURLToPath(new URL('App_Data', import.meta.url)),
    profile: /** @type {'secure' | 'classic'} */ (profile),
    hasThumbnails: thumbnails === 'on',
    jwtSecret: env.JWT_SECRET || randomBytes(32).toString('base64url'),
    /** `undefined`: the embedded document server. */
    editorApiUrl: env.EDITOR_API_URL || undefined,
    internalUrl: env.DOCUMENT_SERVER_INTERNAL_URL || undefined,
    /** `undefined`: the URL that the demo listens on. */
    publicBaseUrl: env.PUBLIC_BASE_URL || undefined,
    logger: { level: env.LOG_LEVEL || 'warn', stream: process.stderr }
  }
}
