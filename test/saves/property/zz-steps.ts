import t from 'tap'
import { readFileSync } from 'node:fs'
import { run } from './run.js'
import { startWorld } from './world.js'
import type { Step } from './steps.js'
const [profile, stored, moving] = (process.env.KIND ?? 'secure,memory,').split(',') as ['secure', 'memory', string]
t.test('steps', async t => {
  const world = await startWorld(t, { profile, stored, moving: moving === 'moving' })
  const lines = readFileSync('/tmp/steps.txt', 'utf8').split(/\s+(?=\d+\. \w+ at)/).filter(l => l.trim())
  const steps = lines.map(l => { const m = /\d+\. (\w+) at (\w) (.*)/.exec(l)!; return { does: m[1], side: m[2], ...JSON.parse(m[3]!) } as Step })
  const outcome = await run(world, steps).catch(e => e)
  console.error('RESULT', (outcome as Error)?.message)
  for (const s of [...new Set([world.documentServers.a, world.documentServers.b])]) { console.error('--- server'); for (const r of s.requests) console.error(r.method, r.url.slice(-60), JSON.stringify({ ...r.body, token: undefined, changesurl: undefined }), JSON.stringify(r.method === 'POST' ? r.answer?.body : String(r.answer?.body)), r.error?.message) 
    for (const r of s.received) if (r.url.includes('ommand')) console.error('CMD', JSON.stringify(r.body), JSON.stringify(r.answer)) }
  const h = world.histories
  for (const id of (h as any).all()) console.error(id, JSON.stringify(h.of(id)), JSON.stringify(await (world.instances.a.app.editorStorage.state!.get(id).catch(() => null))))
})
