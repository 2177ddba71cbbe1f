import type { EditorConfig, Session } from 'onlyoffice-emulator'
import { editingCopies } from './copies.js'
import { equal, isUpToDate, show, type State, violated } from './invariants.js'
import { type Announced } from './judging.js'
import type { Editor } from './run.js'
import { saving } from './saving.js'
import type { Side, Step } from './steps.js'

export interface Stage {
  readonly state: State
  readonly editors: Editor[]
  readonly saves: readonly Announced[]
  observe (joining?: string): Promise<void>
  pass (ms: number): Promise<void>
  complete<Result>(task: Promise<Result>): Promise<PromiseSettledResult<Result>>
  /** In this step the service may have no better choice than to make a copy too many. */
  trouble (): void
}

/** A page, and the side that gave it. */
export interface Page {
  readonly config: EditorConfig
  readonly key: string
  readonly side: Side
}

const EDITING_TAKES_MS = 1000
const MOST_EDITORS = 2

/** Does what the steps say. One that fits nobody at that moment does nothing. */
export function playing (stage: Stage) {
  const { state, editors, saves, observe, pass, complete } = stage
  const { world, fileId, model, live } = state
  const pages: Page[] = []
  let marks = 0
  const save = saving(stage, { open, join, edit })
  const copies = editingCopies(stage)

  return {
    async play (step: Step): Promise<void> {
      switch (step.does) {
        case 'open': {
          if (model.text() === null) return
          const page = await open(step.side, step.user)
          pages.push(page)
          // Otherwise somebody would always be there, and nothing would be saved for good.
          const isFull = editors.filter(({ is, session }) => is === 'in' && !session.viewOnly).length >= MOST_EDITORS
          return step.joins && !isFull ? await save.during(step.trouble, step.side, page.key, async () => await join(page, true)) : undefined
        }
        case 'view': return model.text() === null ? undefined : await view(step.side)
        case 'join': return pages.length > 0 ? await join(pages[step.page % pages.length]!, false) : undefined
        case 'edit': return await forOne(step.session, 'in', async editor => {
          await edit(editor)
          await pass(EDITING_TAKES_MS)
        })
        case 'forceSave':
          await prepare(step)
          return await forOne(step.session, 'in', async editor => await save.during(step.trouble, step.side, editor.key, async () => {
            await complete(editor.session.forceSave({ type: step.type }))
            if (step.trouble?.on === 'callback' && step.trouble.fault.type === 'reorder') await saveMore(editor, step.session % 2 === 0)
          }))
        case 'close':
          await prepare(step)
          return await forOne(step.session, 'in', async editor => await save.during(step.trouble, step.side, editor.key, async () => {
            editor.is = 'gone'
            await complete(editor.session.close())
          }))
        case 'disconnect': return await forOne(step.session, 'in', async editor => {
          await complete(editor.session.disconnect())
          editor.is = step.abrupt ? 'gone' : 'cut'
        })
        case 'reconnect': return await forOne(step.session, 'cut', async editor => {
          began(editor.key)
          const { status } = await complete(editor.session.reconnect())
          editor.is = status === 'fulfilled' ? 'in' : 'gone'
        })
        case 'replay': return saves.length > 0 ? await replay(saves[step.save % saves.length]!, step.both && !world.moving ? ['a', 'b'] : [step.side]) : undefined
        case 'changeOutside': return await change(step)
        case 'editCopy': return await copies.edit(step, `copy ${++marks}`, async editor => {
          await edit(editor)
          await pass(EDITING_TAKES_MS)
          await save.during(null, step.side, editor.key, async () => { await complete(editor.session.forceSave()) })
        })
        case 'pass': return await pass(step.ms)
        case 'crash': return await forOne(step.session, 'in', async editor => await save.crash(editor, step), async () => await save.crash(null, step))
      }
    },

    /** Opens a key by the page that somebody still has. */
    async reopen (key: string): Promise<void> {
      const page = pages.find(page => page.key === key)
      if (page !== undefined) await join(page, false)
    }
  }

  /** Where a save is to go wrong, there should be something to save. */
  async function prepare ({ session, side, trouble }: Extract<Step, { does: 'forceSave' | 'close' }>): Promise<void> {
    if (trouble === null || trouble.on === 'notice' || model.text() === null) return
    await forOne(session, 'in', async () => {}, async () => {
      const page = await open(side)
      pages.push(page)
      await join(page, true)
    })
    await forOne(session, 'in', async editor => {
      if (!model.key(editor.key).unsaved) await edit(editor)
      await pass(EDITING_TAKES_MS)
    })
    world.next(side)
  }

  /** Another save overtakes the one that is held back. */
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

  async function change ({ change, side }: Extract<Step, { does: 'changeOutside' }>): Promise<void> {
    await save.change(change, `outside ${++marks}`, side)
  }

  async function open (side: Side, user = 0, mode: 'edit' | 'view' = 'edit'): Promise<Page> {
    const control = world.instances[side].app.editorControl({ mode, user: { id: `u${user}`, name: `User ${user}` } })
    await control.openDocument(fileId)
    model.key(control.documentKey, world.documentServers[side])
    return { config: control.config as EditorConfig, key: control.documentKey, side }
  }

  /** What the service is told of a key where nobody was. */
  function began (key: string): void {
    const one = model.key(key)
    if (!live().has(key) && !one.finished && one.givenFor !== model.newest()) one.doubtful = true
  }

  /** `isFresh`: the page was made a moment ago, so that it shows what is stored; else it is old, and so may be its key. */
  async function join ({ config, key, side }: Page, isFresh: boolean): Promise<void> {
    const before = model.newest()
    if (model.key(key).wasForgotten) await leaveViewing(key)
    began(key)
    const outcome = await complete(world.documentServers[side].open(config))
    await observe(key)
    if (outcome.status === 'rejected') {
      if (model.text() === null) return
      throw outcome.reason
    }
    const session: Session = outcome.value
    const one = model.key(key)
    if (session.viewOnly && isFresh && !one.doubtful) violated(`whoever opens is given the key ${key}, under which nothing can be edited`)
    editors.push({ session, key, side, is: 'in' })
    if (session.viewOnly) return
    Object.assign(one, { finished: false })
    equal(String(await session.content()), one.text, 'the editor shows what there is under its key')
    if (isFresh && before === model.newest() && !isUpToDate(state, one)) violated(`whoever opens sees ${show(one.text)} instead of ${show(model.text())}`)
  }

  async function view (side: Side): Promise<void> {
    const { config, key } = await open(side, 0, 'view')
    if (model.key(key).wasForgotten) return
    const outcome = await complete(world.documentServers[side].open(config))
    await observe(key)
    if (outcome.status === 'fulfilled') editors.push({ session: outcome.value, key, side, is: 'in' })
  }

  /** Whether a document server that opens a forgotten file beside a viewer shows that to others later on is not known. */
  async function leaveViewing (key: string): Promise<void> {
    for (const editor of editors) {
      if (editor.key !== key || editor.is !== 'in' || !editor.session.viewOnly) continue
      editor.is = 'gone'
      await complete(editor.session.close())
    }
  }

  async function replay ({ fields }: Announced, sides: readonly Side[]): Promise<void> {
    if (model.versions().some(({ text }) => text === null)) return // what is remembered of a file ends with it
    const { token, ...announced } = fields
    const before = await world.outside.revisionOf(fileId)
    const files = world.histories.created.size
    const answers = await Promise.all(sides.map(async side => await world.post(side, fileId, announced)))
    for (const answer of answers) equal(answer, '{"error":0}', 'a repeated save is acknowledged')
    equal(await world.outside.revisionOf(fileId), before, 'a repeated save writes nothing')
    equal(world.histories.created.size, files, 'a repeated save makes no file')
  }

  async function forOne (number: number, is: Editor['is'], task: (editor: Editor) => Promise<void>, otherwise = async () => {}): Promise<void> {
    const fitting = editors.filter(editor => editor.is === is && !editor.session.viewOnly)
    return fitting.length > 0 ? await task(fitting[number % fitting.length]!) : await otherwise()
  }
}
