import { spool } from './lib/storage/timed-storage.js'
import { Readable } from 'node:stream'
const s = await spool('x', Readable.from([Buffer.alloc(200000)]))
for (let i = 0; i < 3; i++) { try { for await (const c of s) { if (i === 1) break }; console.log(i, 'ok') } catch (e) { console.log(i, e.message) } }
const it = s[Symbol.asyncIterator](); await it.next(); console.log(await it.return?.().catch(e => e.message))
const rs = []
for (let i = 0; i < 15; i++) { const it = s[Symbol.asyncIterator](); await it.next(); rs.push(it) }
for (const r of rs) await r.return?.().catch(() => {})
let n = 0
for await (const c of s) n += c.length
console.log(n)
await s.discard()
