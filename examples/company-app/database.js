import { mkdir, readFile, writeFile } from 'node:fs/promises'

// PostgreSQL at `url`. Without a URL: PGlite, which is PostgreSQL in this process, with its files in `directory`. It is
// for one process.
export async function openDatabase ({ url, directory }) {
  const database = url ? await connect(url) : await startPglite(directory)
  await database.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'))
  return database
}

async function connect (connectionString) {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString,
    connectionTimeoutMillis: 5000,
    query_timeout: 10_000,
    statement_timeout: 10_000
  })
  // An idle connection has ended: without a listener, so would the process. The error itself has the settings in it.
  pool.on('error', ({ message }) => console.error(`PostgreSQL: ${message}`))
  return pool
}

async function startPglite (directory) {
  const { PGlite } = await import('@electric-sql/pglite')
  if (!directory.startsWith('memory:')) await lock(directory)
  const lite = await PGlite.create(directory)
  return {
    // Like that of a pool: takes a text and values, or an object with both.
    query (query, values = query.values) {
      const text = query.text ?? query
      return values ? lite.query(text, values) : lite.exec(text)
    },
    end: () => lite.close()
  }
}

// PGlite does not notice a second process, which would damage the files.
async function lock (directory) {
  await mkdir(directory, { recursive: true })
  const path = `${directory}.pid`
  const owner = Number(await readFile(path, 'utf8').catch(() => 0))
  if (owner !== 0 && owner !== process.pid && isRunning(owner)) {
    throw new Error(`Process ${owner} uses ${directory}: stop it. If it is another program, delete ${path}`)
  }
  await writeFile(path, String(process.pid))
}

function isRunning (pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
