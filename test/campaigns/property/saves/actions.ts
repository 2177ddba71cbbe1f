import type fc from 'fast-check'
import type { EditorConfig, ForceSaveOptions, Session } from 'onlyoffice-emulator'
import { editingCopies } from './copies.js'
import { interleaved } from './interleaving.js'
import { recovering } from './recovering.js'
import { restoring } from './restoring.js'
import { equal, isUpToDate, show, type State, violated } from './invariants.js'
import { type Announced } from './judging.js'
import { saving } from './saving.js'
import type { Editor, OutsideChange, Side, Situation, Trouble } from './situation.js'

export interface Stage {
  readonly state: State
  readonly situation: Situation
  readonly editors: Editor[]
  readonly pages: Page[]
  observe (joining?: string): Promise<void>
  pass (ms: number): Promise<void>
  complete<Result>(task: Promise<Result>): Promise<PromiseSettledResult<Result>>
  /** During this command the plugin may have no better choice than to create an additional copy. */
  trouble (): void
}

/** A page, and the instance that rendered it. */
export interface Page {
  readonly config: EditorConfig
  readonly key: string
  readonly side: Side
}

export interface Save {
  readonly side: Side
  /** Chooses one of those who edit. */
  readonly session: number
  readonly trouble: Trouble | null
}

/** What stores something without a save. */
export interface Storing {
  readonly side: Side
  /** Whether somebody leaves before whose save is refused. */
  readonly refuses: boolean
  readonly trouble: Trouble | null
}

/** What people do. `side`: the instance that gets the next request. */
export interface Actions {
  /** Renders a page; `joins`: and opens it in an editor. */
  open (args: { readonly side: Side, readonly user: number, readonly joins: boolean, readonly trouble: Trouble | null }): Promise<void>
  /** Opens the document for reading, and stays. */
  view (args: { readonly side: Side }): Promise<void>
  /** Opens a page that was rendered before. */
  join (args: { readonly side: Side, readonly page: number }): Promise<void>
  edit (args: { readonly side: Side, readonly session: number }): Promise<void>
  forceSave (args: Save & { readonly type: NonNullable<ForceSaveOptions['type']> }): Promise<void>
  close (args: Save): Promise<void>
  /** Everybody leaves at the same moment: several sessions may be saved at once. */
  closeAll (args: { readonly side: Side, readonly scheduler: fc.Scheduler }): Promise<void>
  disconnect (args: { readonly side: Side, readonly session: number, readonly abrupt: boolean }): Promise<void>
  reconnect (args: { readonly side: Side, readonly session: number }): Promise<void>
  /** Posts an acknowledged save once more, to one instance or to both. */
  replay (args: { readonly side: Side, readonly save: number, readonly both: boolean }): Promise<void>
  changeOutside (args: { readonly side: Side, readonly change: OutsideChange }): Promise<void>
  /** Edits a conflict copy as a document of its own; `meanwhile` a session that saved into it saves. */
  editCopy (args: { readonly side: Side, readonly copy: number, readonly meanwhile: boolean }): Promise<void>
  pass (args: { readonly side: Side, readonly ms: number }): Promise<void>
  /** Makes an earlier version the present one. */
  restore (args: Storing & { readonly version: number }): Promise<void>
  /**
   * Stores what the document server has kept because it was refused. `crashes`: somebody has gone on with that before,
   * and a crash leaves a force save that is newer.
   */
  recover (args: Storing & { readonly crashes: boolean }): Promise<void>
  /** The document server dies and is started again. */
  crash(
    args: {
      readonly side: Side,
      readonly session: number,
      readonly midSave: boolean,
      readonly opens: boolean,
      readonly fate: 'kept' | 'lost'
    }
  ): Promise<void>
}

export type Arguments<Name extends keyof Actions> = Parameters<Actions[Name]>[0]

const EDITING_TAKES_MS = 1000
const MAX_EDITORS = 2
const REFUSED: Trouble = { on: 'file', fault: { type: 'html' } }
/** The plugin remembers more saves of each status than these. */
const REPEATABLE = 6

export function actions (stage: Stage): Actions & { reopen (key: string): Promise<void> } {
  const { state, situation, editors, pages, observe, pass, complete } = stage
  const { world, fileId, model, live } = state
  const { hasFile, editing, disconnected, saves } = situation
  let marks = 0
  const save = saving(stage, { open, join, edit })
  const copies = editingCopies(stage)
  const restore = restoring(stage, save.during)
  const recover = recovering(stage, save.during)

  return {
    async open ({ side, user, joins, trouble }) {
      const page = await open(side, user)
      pages.push(page)
      // Otherwise somebody would always be there, and no session would end.
      if (joins && editing().length < MAX_EDITORS) await save.during(trouble, side, page.key, async () => await join(page, true))
    },

    async view ({ side }) {
      const { config, key } = await open(side, 0, 'view')
      if (model.key(key).wasForgotten) return
      const outcome = await complete(world.documentServers[side].open(config))
      await observe(key)
      if (outcome.status === 'fulfilled') editors.push({ session: outcome.value, key, side, is: 'in' })
    },

    join: async ({ page }) => await join(oneOf(pages, page), false),

    async edit ({ session }) {
      await edit(oneOf(editing(), session))
      await pass(EDITING_TAKES_MS)
    },

    async forceSave ({ side, session, type, trouble }) {
      await prepare({ side, session, trouble })
      if (editing().length === 0) return
      const editor = oneOf(editing(), session)
      await save.during(trouble, side, editor.key, async () => {
        await complete(editor.session.forceSave({ type }))
        if (trouble?.on === 'callback' && trouble.fault.type === 'reorder') await saveMore(editor, session % 2 === 0)
      })
    },

    close,

    async closeAll ({ scheduler }) {
      const leaving = editing()
      await interleaved(world, scheduler, async () => {
        await complete(Promise.allSettled(leaving.map(async editor => {
          editor.is = 'gone'
          await editor.session.close()
        })))
      })
    },

    async disconnect ({ session, abrupt }) {
      const editor = oneOf(editing(), session)
      await complete(editor.session.disconnect())
      editor.is = abrupt ? 'gone' : 'disconnected'
      const one = model.key(editor.key)
      // until the document server notices that nobody is there any more
      if (abrupt && one.refused !== 'no') one.refused = 'unknown'
    },

    async reconnect ({ session }) {
      const editor = oneOf(disconnected(), session)
      started(editor.key)
      const { status } = await complete(editor.session.reconnect())
      editor.is = status === 'fulfilled' ? 'in' : 'gone'
    },

    replay: async ({ side, save, both }) => await replay(oneOf(saves.slice(-REPEATABLE), save), both && !world.moving ? ['a', 'b'] : [side]),
    changeOutside: async ({ change, side }) => await save.change(change, `outside ${++marks}`, side),

    async editCopy (args) {
      const { side, copy, meanwhile } = args
      if (meanwhile && copies.savers().length === 0 && editing().length > 0 && hasFile()) {
        await save.change('replaced', `outside ${++marks}`, side)
        await editAndSave(oneOf(editing(), copy), side)
      }
      if (model.copies.size > 0) await copies.edit(args, `copy ${++marks}`, async editor => await editAndSave(editor, side))
    },

    pass: async ({ ms }) => await pass(ms),

    async restore (args) {
      if (args.refuses) await close({ ...args, session: args.version, trouble: REFUSED })
      if (hasFile()) await restore(args)
    },

    async recover (args) {
      if (args.refuses) await close({ ...args, session: 0, trouble: REFUSED })
      if (args.crashes) await crashAfterForceSave(args.side)
      await recover(args)
    },

    crash: async args => await save.crash(editing().length > 0 ? oneOf(editing(), args.session) : null, args),

    async reopen (key) {
      const page = pages.find(page => page.key === key)
      if (page !== undefined) await join(page, false)
    }
  }

  async function close ({ side, session, trouble }: Save): Promise<void> {
    await prepare({ side, session, trouble })
    if (editing().length === 0) return
    const editor = oneOf(editing(), session)
    await save.during(trouble, side, editor.key, async () => {
      editor.is = 'gone'
      await complete(editor.session.close())
    })
  }

  /** Where a save is to go wrong, there must be something to save. */
  async function prepare ({ session, side, trouble }: Save): Promise<void> {
    if (trouble === null || trouble.on === 'notice' || !hasFile()) return
    if (editing().length === 0) {
      const page = await open(side)
      pages.push(page)
      await join(page, true)
    }
    if (editing().length > 0) {
      const editor = oneOf(editing(), session)
      if (!model.key(editor.key).unsaved) await edit(editor)
      await pass(EDITING_TAKES_MS)
    }
    world.next(side)
  }

  async function editAndSave (editor: Editor, side: Side): Promise<void> {
    await edit(editor)
    await pass(EDITING_TAKES_MS)
    await save.during(null, side, editor.key, async () => { await complete(editor.session.forceSave()) })
  }

  async function crashAfterForceSave (side: Side): Promise<void> {
    await prepare({ side, session: 0, trouble: REFUSED })
    const editor = editing().find(one => model.key(one.key).server === world.documentServers[side])
    if (editor === undefined) return
    await editAndSave(editor, side)
    await save.crash(editor, { side, session: 0, midSave: false, opens: false, fate: 'lost' })
  }

  /** Another save overtakes the delayed one. */
  async function saveMore (editor: Editor, isLast: boolean): Promise<void> {
    await edit(editor)
    await pass(EDITING_TAKES_MS)
    if (isLast) editor.is = 'gone'
    await complete(isLast ? editor.session.close() : editor.session.forceSave())
  }

  async function edit ({ session, key }: Editor): Promise<void> {
    const mark = `edit ${++marks}`
    const text = `${String(await session.content())}\n${mark}`
    equal(text, `${model.key(key).text}\n${mark}`, 'the editor shows what is edited under its key')
    await session.edit(text)
    model.edited(key, text, mark)
  }

  async function open (side: Side, user = 0, mode: 'edit' | 'view' = 'edit'): Promise<Page> {
    const control = world.instances[side].app.editorControl({ mode, user: { id: `u${user}`, name: `User ${user}` } })
    await control.openDocument(fileId)
    model.key(control.documentKey, world.documentServers[side])
    return { config: control.config as EditorConfig, key: control.documentKey, side }
  }

  /** What the plugin is told of a key under which nobody edited. */
  function started (key: string): void {
    const one = model.key(key)
    if (!live().has(key) && !one.finished && one.givenFor !== model.newest()) one.doubtful = true
  }

  /**
   * `isFresh`: the page was rendered a moment ago, so that it shows what is stored. Otherwise its key may be outdated.
   */
  async function join ({ config, key, side }: Page, isFresh: boolean): Promise<void> {
    const before = model.newest()
    if (model.key(key).wasForgotten) await leaveViewing(key)
    started(key)
    const outcome = await complete(world.documentServers[side].open(config))
    await observe(key)
    if (outcome.status === 'rejected') {
      if (!hasFile()) return
      throw outcome.reason
    }
    const session: Session = outcome.value
    const one = model.key(key)
    if (session.viewOnly && isFresh && !one.doubtful) violated(`whoever opens the document gets the key ${key}, under which nothing can be edited`)
    editors.push({ session, key, side, is: 'in' })
    if (session.viewOnly) return
    Object.assign(one, { finished: false })
    equal(String(await session.content()), one.text, 'the editor shows what there is under its key')
    if (isFresh && before === model.newest() && !isUpToDate(state, one)) {
      violated(`whoever opens the document sees ${show(one.text)} instead of ${show(model.text())}`)
    }
  }

  /** It is unknown whether a document server that opens a forgotten file beside a viewer shows it to later viewers. */
  async function leaveViewing (key: string): Promise<void> {
    for (const editor of editors) {
      if (editor.key !== key || editor.is !== 'in' || !editor.session.viewOnly) continue
      editor.is = 'gone'
      await complete(editor.session.close())
    }
  }

  async function replay ({ fields }: Announced, sides: readonly Side[]): Promise<void> {
    if (model.versions().some(({ text }) => text === null)) return // the record of a file is removed with it
    const { token, ...announced } = fields
    const before = await world.outside.revisionOf(fileId)
    const files = world.histories.created.size
    const answers = await Promise.all(sides.map(async side => await world.post(side, fileId, announced)))
    for (const answer of answers) equal(answer, '{"error":0}', 'a repeat is acknowledged')
    equal(await world.outside.revisionOf(fileId), before, 'a repeat writes nothing')
    equal(world.histories.created.size, files, 'a repeat creates no file')
  }
}

export function oneOf<Item> (items: readonly Item[], number: number): Item {
  return items[number % items.length]!
}
