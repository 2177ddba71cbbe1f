import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Session } from 'onlyoffice-emulator'
import type { EditorControl, ForceSaveResult } from '../../../lib/index.js'
import type { DocumentStore } from '../../../lib/store/contract.js'
import { random, type Random } from '../random.js'
import { DISK_FULL, type Pair, SIDES, type Side, startPair } from '../../kit/sessions.js'

export interface LivesOptions {
  readonly seed: number
  /** Force saves, over all lives. */
  readonly forceSaves: number
  /** Lives at the same time. */
  readonly worlds: number
  /** Milliseconds, of most force saves. */
  readonly timeout: number
  /** Milliseconds, of the slowest assembly of a document. */
  readonly slowest: number
  /** Milliseconds, of the longest pause. */
  readonly pause: number
}

/** How a force save ended. */
export interface Ended {
  /** Repeats the life. */
  readonly life: string
  readonly how: string
  /** What is wrong with it. */
  readonly violation?: string
  /** A save was under way longer than the plugin waits for saves of others. */
  readonly doubt?: string
}

interface World {
  readonly pair: Pair
  /** What was stored, by fileId and revision. */
  readonly contents: ReadonlyMap<string, string>
  /** The instances that have no space left. */
  readonly full: Set<Side>
}

interface Editor {
  readonly session: Session
  is: 'in' | 'cut off' | 'gone'
}

const FORCE_SAVES_OF_A_LIFE = 8
/** Milliseconds: so long the plugin waits at least for further saves of others, whose number it cannot know. */
const PATIENCE_FOR_OTHERS = 9000

/**
 * Plays lives of documents, several at a time, in which force saves are requested at any moment. Resolves to how each
 * of them ended.
 */
export async function playLives (t: Test, { seed, forceSaves, worlds, ...options }: LivesOptions): Promise<Ended[]> {
  const root = t.testdir()
  const ended: Ended[] = []
  let begun = 0
  const life = Number(process.env.LIFE ?? NaN)
  const lives = Number.isNaN(life)
    ? Array.from({ length: Math.ceil(forceSaves / FORCE_SAVES_OF_A_LIFE) }, (_, index) => index)
    : [life]

  await Promise.all(Array.from({ length: Math.min(worlds, lives.length) }, async (_, index) => {
    const world = await startWorld(t, join(root, String(index)), random(seed + index))
    while (begun < lives.length) {
      const number = lives[begun++]!
      const endings = await play(world, random(seed * 100_003 + number), options)
      ended.push(...endings.map(ending => ({ ...ending, life: `SEED=${seed} LIFE=${number}` })))
    }
  }))
  return ended
}

async function startWorld (t: Test, directory: string, chances: Random): Promise<World> {
  const contents = new Map<string, string>()
  const full = new Set<Side>()
  const pair = await startPair(t, {
    directory,
    inRealTime: true,
    storing: (storage, side) =>
      observed(storage, contents, () => {
        if (full.has(side)) throw DISK_FULL
      })
  })
  pair.target = () => chances.one(SIDES)
  return { pair, contents, full }
}

/** Remembers the content of every revision before anybody can know of it. */
function observed (storage: DocumentStore, contents: Map<string, string>, stayAlive: () => void): DocumentStore {
  return {
    ...storage,
    async stage (...given) {
      stayAlive()
      return await storage.stage(...given)
    },
    async commit (fileId, content, options) {
      const text = await textOf(content as AsyncIterable<Uint8Array>)
      return await storage.commit(fileId, content, {
        ...options,
        record (info) {
          contents.set(`${fileId} ${info.revision}`, text)
          return options.record(info)
        }
      })
    },
    async create (extension, content) {
      const text = await textOf(content as AsyncIterable<Uint8Array>)
      const info = await storage.create(extension, Buffer.from(text))
      contents.set(`${info.fileId} ${info.revision}`, text)
      return info
    }
  }
}

async function textOf (content: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (content instanceof Uint8Array) return Buffer.from(content).toString()
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** One document, from its creation until everybody has left. */
async function play (
  { pair, contents, full }: World,
  chances: Random,
  { timeout, slowest, pause }: Pick<LivesOptions, 'timeout' | 'slowest' | 'pause'>
): Promise<Array<Omit<Ended, 'life'>>> {
  const { documentServer } = pair
  const first = pair.a.app.editorControl({ user: { id: 'u0', name: 'u0' } })
  const { fileId } = await first.uploadDocument(Buffer.from('uploaded'), 'Life.txt')
  const editors: Editor[] = []
  const pressed: Array<Promise<unknown>> = []
  /** Saves by the button or the timer. */
  const saves: Array<{ isDone: boolean }> = []
  const requests: Array<Promise<Omit<Ended, 'life'>>> = []
  let marks = 0
  /** What was acknowledged in the editors. */
  let text = 'uploaded'
  /** Commands whose callers are waiting, or have given up: the latter may be under way until the end. */
  let commands = 0
  /** How often somebody was not there any more. */
  let absences = 0
  const mending: Array<() => void> = []

  const present = () => editors.filter(({ is }) => is === 'in')
  const controlOf = async (side: Side, user = 'u0') =>
    await pair[side].app.editorControl({ user: { id: user, name: user } }).openDocument(fileId)

  const actions = {
    async open () {
      if (present().length === 3) return
      const control = await controlOf(chances.one(SIDES), `u${editors.length}`)
      const session = await documentServer.open(control.config!).catch(() => null)
      if (session === null) return
      if (session.viewOnly) await session.close()
      else editors.push({ session, is: 'in' })
    },
    async edit () {
      if (present().length === 0) return await actions.open()
      const { session } = chances.one(present())
      const edited = `${String(await session.content())}\nmark ${++marks}`
      await session.edit(edited)
      text = edited
    },
    async button () {
      if (present().length === 0) return
      const save = { isDone: false }
      saves.push(save)
      pressed.push(
        chances.one(present()).session.forceSave({ type: chances.one(['button', 'timer'] as const) }).catch(() => {})
          .then(() => {
            save.isDone = true
          })
      )
    },
    async leave () {
      if (present().length === 0) return
      const editor = chances.one(present())
      editor.is = 'gone'
      absences++
      const closed = editor.session.close().catch(() => {})
      pressed.push(closed)
      if (chances.chance(0.5)) await closed
    },
    async cutOff () {
      if (present().length === 0) return
      const editor = chances.one(present())
      editor.is = 'cut off'
      absences++
      await editor.session.disconnect()
    },
    async comeBack () {
      const cutOff = editors.filter(({ is }) => is === 'cut off')
      if (cutOff.length === 0) return
      const editor = chances.one(cutOff)
      editor.is = await editor.session.reconnect().then(() => 'in' as const, () => 'gone' as const)
    },
    async slow () {
      const ms = chances.weighted([[8, 20 + chances.integer(600)], [3, chances.integer(slowest)]])
      mending.push(documentServer.fault('assembly', { type: 'slow', ms }))
    },
    async fail () {
      mending.push(documentServer.fault('assembly', { type: 'fail' }))
    },
    async breakFile () {
      mending.push(
        documentServer.fault(
          'file',
          chances.one([{ type: 'answer', status: 404 }, { type: 'answer', status: 503 }, { type: 'delay', ms: 300 }, {
            type: 'reset'
          }])
        )
      )
    },
    async slowCommand () {
      mending.push(documentServer.fault('command', { type: 'delay', ms: chances.integer(400) }))
    },
    async fill () {
      const side = chances.one(SIDES)
      full.add(side)
      setTimeout(() => full.delete(side), chances.integer(400))
    },
    async pass () {
      await delay(chances.integer(pause))
    }
  }

  /** Waits for nothing. */
  async function request (): Promise<void> {
    const control = await controlOf(chances.one(SIDES))
    const patience = chances.weighted([[12, timeout], [1, timeout / 10], [1, 300]])
    const leavesSoon = chances.chance(0.04)
    requests.push(judged(control, { patience, signal: leavesSoon ? AbortSignal.timeout(chances.integer(500)) : null }))
  }

  async function judged (
    control: EditorControl,
    { patience, signal }: { readonly patience: number, readonly signal: AbortSignal | null }
  ): Promise<Omit<Ended, 'life'>> {
    const expected = marksOf(text)
    const [absencesBefore, wasPresent] = [
      absences,
      present().some(({ session }) => session.key === control.documentKey)
    ]
    const missingIn = (content: string | undefined) => {
      const found = new Set(marksOf(content ?? ''))
      return expected.filter(mark => !found.has(mark))
    }
    let result: ForceSaveResult
    const begunAt = performance.now()
    commands++
    try {
      result = await control.forceSave({ timeout: patience, ...(signal && { signal }) })
      commands--
    } catch (error) {
      const { name, code } = error as Error & { code?: string }
      if (code === 'FST_EDITOR_FORCE_SAVE_FAILED') commands--
      if (code === 'FST_EDITOR_FORCE_SAVE_TIMEOUT') {
        return { how: `timeout ${patience}${absences === absencesBefore ? '' : ', somebody has left'}` }
      }
      return { how: code === undefined || name === 'TimeoutError' ? name : (error as Error).message }
    }
    // also one that began after the request, and before the command arrived at the document server
    const ms = performance.now() - begunAt
    const isUnderWay = saves.some(save => !save.isDone) || (ms >= PATIENCE_FOR_OTHERS && commands > 0)
    if (result.saved) {
      const { stored: place } = result
      const stored = contents.get(`${place.fileId} ${place.revision}`)
      const missing = missingIn(stored)
      const detail = `saved, but ${missing} of ${expected} is missing in ${stored} after ${Math.round(ms)} ms`
      return {
        how: place.fileId === fileId ? 'saved' : 'saved as a conflict copy',
        ...(missing.length > 0 && { [isUnderWay ? 'doubt' : 'violation']: detail })
      }
    }
    const missing = missingIn(await pair.a.storedText(fileId) ?? '')
    if (missing.length === 0) return { how: result.reason }
    const detail = `${result.reason}, but ${missing} of ${expected} is not stored, with a timeout of ${patience}`
    if (result.reason === 'no-session') {
      return wasPresent && absences === absencesBefore
        ? { how: 'no-session', violation: detail }
        : { how: 'no-session, the changes are not stored' }
    }
    if (isUnderWay || wasStored(expected)) {
      return {
        how: `no-changes, ${
          isUnderWay ? 'but a save was under way' : 'but an older save of the same second came later'
        }`,
        doubt: detail
      }
    }
    return { how: 'no-changes', violation: detail }
  }

  function wasStored (expected: readonly string[]): boolean {
    return [...contents].some(([name, content]) =>
      name.startsWith(`${fileId} `) && expected.every(mark => marksOf(content).includes(mark))
    )
  }

  await actions.open()
  while (requests.length < FORCE_SAVES_OF_A_LIFE) {
    const action = chances.weighted<keyof typeof actions | 'request'>([
      [9, 'request'],
      [9, 'edit'],
      [9, 'pass'],
      [3, 'slow'],
      [3, 'button'],
      [2, 'open'],
      [2, 'leave'],
      [1, 'cutOff'],
      [2, 'comeBack'],
      [1, 'fail'],
      [1, 'breakFile'],
      [1, 'slowCommand'],
      [1, 'fill']
    ])
    await (action === 'request' ? request() : actions[action]())
  }
  const ended = await Promise.all(requests)
  for (const mend of mending) mend()
  for (const editor of editors) if (editor.is !== 'gone') pressed.push(editor.session.close().catch(() => {}))
  await Promise.all(pressed)
  return ended
}

function marksOf (text: string): string[] {
  return text.match(/mark \d+/g) ?? []
}

/** How many ended how. */
export function counted (ended: readonly Ended[]): string {
  const counts = new Map<string, number>()
  for (const { how } of ended) counts.set(how, (counts.get(how) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1]).map(([how, count]) => `${count} ${how}`).join(', ')
}
