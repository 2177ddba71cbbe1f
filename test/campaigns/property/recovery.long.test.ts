/**
 * Random lives of a document with outages: people open, edit, force-save and close it while the application is up or
 * down, another program replaces it, the document server crashes, and two instances recover forgotten files at any
 * time.
 *
 * `LIVES` (default 60): how many. `SEED` (default 1): chooses them. A failure names the seed that repeats its life
 * alone.
 */
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../../lib/index.js'
import type { Session } from 'onlyoffice-emulator'
import { type Random, random } from '../random.js'
import { startHost } from '../../kit/host.js'
import { startService } from '../../kit/sessions.js'
import { powerSwitch, textOf } from '../../recovery/outage.js'

const LIVES = Number(process.env.LIVES ?? 60)
const SEED = Number(process.env.SEED ?? 1)
const STEPS = 25
const MAX_EDITORS = 2

t.setTimeout(15 * 60_000)

t.test('whatever happens, no edit is lost, and nothing that others stored is overwritten', async t => {
  let recovered = 0
  for (let run = 0; run < LIVES; run++) {
    await t.test(`SEED=${SEED + run} LIVES=1`, async t => { recovered += await live(t, random(SEED + run)) })
  }
  t.ok(LIVES < 10 || recovered > LIVES / 10, `forgotten files were recovered: ${recovered}`)
})

/** Resolves to the number of forgotten files that were stored. */
async function live (t: import('tap').Test, { integer, one, weighted, chance }: Random): Promise<number> {
  const directory = join(t.testdir(), 'uploads')
  const storage = fileStorage({ directory })
  const power = powerSwitch()
  const service = await startService(t, { prepare: power.prepare, storage, saveRetries: 0 })
  const { clock, documentServer, fileId, app, origin } = service
  const other = await startHost(t, { clock, documentServerOrigin: documentServer.url, publicBaseUrl: origin, storage: fileStorage({ directory }) })
  const instances = [app, other.app]
  const sessions: Session[] = []
  /** What was written and not legitimately replaced since. */
  const owed = new Set<string>()
  let marks = 0
  let recovered = 0

  async function storedTexts (): Promise<string[]> {
    const texts: string[] = []
    for (const name of await service.listing()) {
      const file = await storage.read(name.replace(/\.txt$/, ''))
      if (file) texts.push(await textOf(file.body))
    }
    return texts
  }

  async function recover (): Promise<void> {
    const results =
      (await Promise.all(
        (chance(0.5) ? instances : [one(instances)]).map(async ({ editorServer }) =>
          await editorServer.recoverForgotten()
        )
      )).flat()
    if (power.isOn) { for (const { outcome, error } of results) if (outcome === 'failed') t.error(error) }
    recovered += results.filter(({ outcome }) => outcome === 'stored' || outcome === 'conflict').length
  }

  const steps: Record<string, () => Promise<unknown>> = {
    async open () {
      if (sessions.length === MAX_EDITORS || !power.isOn) return
      const id = `u${integer(4)}`
      const session = await service.open({ user: { id } })
      if (session.viewOnly) await session.close()
      else sessions.push(session)
    },
    async edit () {
      if (sessions.length === 0) return
      const session = one(sessions)
      const mark = `edit ${++marks};`
      await session.edit(`${String(await session.content())}\n${mark}`)
      owed.add(mark)
      if (chance(0.7)) await clock.advance(1000)
    },
    forceSave: async () => sessions.length > 0 && await one(sessions).forceSave({ type: one(['button', 'command', 'timer']) }),
    async close () {
      if (sessions.length === 0) return
      const [session] = sessions.splice(integer(sessions.length), 1)
      await session!.close()
    },
    async outage () {
      power.isOn = false
      for (const session of sessions.splice(0)) await session.close()
      if (chance(0.3)) return // it stays down for a while
      power.isOn = true
      if (chance(0.5)) await clock.advance(2000)
    },
    /** The document server loses everything but its forgotten files. */
    async crash () {
      const kept = [...await storedTexts(), ...service.forgotten()]
      await documentServer.crash()
      sessions.length = 0
      for (const mark of owed) if (!kept.some(text => text.includes(mark))) owed.delete(mark)
      await documentServer.restart({ sessions: 'lost' })
      // on a connection from before the crash
      for (const { editorServer } of instances) await editorServer.healthcheck().catch(() => {})
    },
    async closeWhileRecovering () {
      if (sessions.length === 0) return
      const [session] = sessions.splice(integer(sessions.length), 1)
      await Promise.all([session!.close(), recover()])
    },
    async openWhileRecovering () {
      await Promise.all([steps.open!(), recover()])
    },
    async replace () {
      const before = await service.stored()
      const mark = `outside ${++marks};`
      await storage.replace(fileId, Buffer.from(mark))
      for (const replaced of owed) if (before?.includes(replaced)) owed.delete(replaced)
      owed.add(mark)
    },
    async switchPower () { power.isOn = !power.isOn || chance(0.5) },
    recover,
    pass: async () => await clock.advance(one([1000, 60_000, 600_000]))
  }

  const trace: string[] = []
  try {
    for (let step = 0; step < STEPS; step++) {
      const name = weighted(
        [
          [5, 'open'],
          [6, 'edit'],
          [3, 'forceSave'],
          [5, 'close'],
          [2, 'closeWhileRecovering'],
          [2, 'openWhileRecovering'],
          [1, 'replace'],
          [4, 'outage'],
          [1, 'crash'],
          [2, 'switchPower'],
          [4, 'recover'],
          [2, 'pass']
        ] as const
      )
      trace.push(power.isOn ? name : `${name} (down)`)
      await steps[name]!()
    }
    power.isOn = true
    trace.push('the end')
    for (const session of sessions) await session.close()
    await recover()
    await recover()
    t.strictSame(service.forgotten(), [], 'nothing is left at the document server')
    const stored = await storedTexts()
    t.strictSame([...owed].filter(mark => !stored.some(text => text.includes(mark))), [], `everything is stored: ${JSON.stringify(stored)}`)
  } finally {
    if (!t.passing()) t.comment(trace.join(', '))
  }
  return recovered
}
