// Writes .env with secrets of its own.
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

const secret = () => randomBytes(24).toString('hex')
const adminPassword = randomBytes(12).toString('base64url')
const example = await readFile(new URL('.env.example', import.meta.url), 'utf8')
const filled = example.replace(/^(JWT_SECRET|SESSION_SECRET|POSTGRES_PASSWORD)=$/gm, (_line, name) => `${name}=${secret()}`)
  .replace(/^ADMIN_PASSWORD=$/m, `ADMIN_PASSWORD=${adminPassword}`)
await writeFile('.env', filled, { flag: 'wx', mode: 0o600 })
console.log(`Log in as admin with the password ${adminPassword}`)
