import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { NotAllowed, Wrong } from './errors.js'

const COLUMNS = 'id, login, name, is_admin AS "isAdmin", is_disabled AS "isDisabled"'
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 } // Source: OWASP, Password Storage Cheat Sheet
const derive = (
  promisify(scrypt)
)
const NOBODY = await hashOf(randomBytes(16).toString('hex'))

export function createAccounts (database) {
  return {
    all: async () => (await database.query(`SELECT ${COLUMNS} FROM users ORDER BY name`, [])).rows,

    async active (id) {
      return (await database.query(`SELECT ${COLUMNS} FROM users WHERE id = $1 AND NOT is_disabled`, [id])).rows[0]
    },

    // Takes as long for a login that does not exist, so that nobody finds out which do.
    async withPassword (login, password) {
      const { rows: [user] } = await database.query(
        `SELECT ${COLUMNS}, password FROM users WHERE login = $1 AND NOT is_disabled`,
        [login.toLowerCase()]
      )
      return await matches(password, user?.password ?? NOBODY) ? user : undefined
    },

    async add ({ login, name, password }) {
      if (!/^[a-z0-9._-]{1,64}$/.test(login)) throw new Wrong('A login has up to 64 small letters, digits, dots and hyphens')
      const { rows } = await database.query(
        'INSERT INTO users (login, name, password) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
        [login, name, await hashOf(checked(password))]
      )
      if (rows.length === 0) throw new Wrong('There is such a login')
    },

    // An administrator, if there is nobody yet.
    async addFirst ({ login, name, password }) {
      if ((await this.all()).length > 0) return
      await database.query(
        'INSERT INTO users (login, name, password, is_admin) VALUES ($1, $2, $3, true) ON CONFLICT DO NOTHING',
        [login, name, await hashOf(checked(password))]
      )
    },

    // Ends all sessions of the user, too.
    async changePassword ({ id, login }, current, password) {
      if (!await this.withPassword(login, current)) throw new NotAllowed('The current password is another one')
      await database.query('UPDATE users SET password = $2 WHERE id = $1', [id, await hashOf(checked(password))])
      await this.logOut(id)
    },

    async disable (id) {
      await database.query('UPDATE users SET is_disabled = true WHERE id = $1', [id])
      await this.logOut(id)
    },

    logOut: async id => await database.query("DELETE FROM sessions WHERE data->>'userId' = $1", [id]),

    // For the option `store` of @fastify/session.
    sessionStore: {
      get (id, done) {
        database.query('SELECT data FROM sessions WHERE id = $1 AND expires > now()', [hidden(id)])
          .then(({ rows: [row] }) => done(null, row?.data ?? null), done)
      },
      set (id, session, done) {
        database.query(
          `INSERT INTO sessions (id, data, expires) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET data = excluded.data, expires = excluded.expires`,
          [hidden(id), JSON.stringify(session), session.cookie.expires]
        ).then(() => database.query('DELETE FROM sessions WHERE expires < now()', [])).then(() => done(), done)
      },
      destroy (id, done) {
        database.query('DELETE FROM sessions WHERE id = $1', [hidden(id)]).then(() => done(), done)
      }
    }
  }
}

function hidden (sessionId) {
  return createHash('sha256').update(sessionId).digest('base64url')
}

function checked (password) {
  if (password.length < 12 || password.length > 200) throw new Wrong('A password has 12 to 200 characters')
  return password
}

async function hashOf (password) {
  const salt = randomBytes(16)
  return `${salt.toString('base64')} ${(await derive(password, salt, 32, COST)).toString('base64')}`
}

async function matches (password, stored) {
  const [salt = '', hash = ''] = stored.split(' ')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), 32, COST), Buffer.from(hash, 'base64'))
}
