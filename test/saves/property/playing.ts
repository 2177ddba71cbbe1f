import type { EditorConfig, Session } from '../../../lib/testing/index.js'
import { equal, type State, violated } from './invariants.js'
import { type Announced } from './observer.js'
import type { Editor } from './run.js'
import type { Side, Step } from './steps.js'
import { editingCopies } from './copies.js'
import { saving } from './saving.js'

export interface Stage {
  readonly state: State & { spareCopies: number }
  readonly editors: Editor[]
  readonly saves: readonly Announced[]
  observe (joining?: string): Promise<void>
  pass (ms: number): Promise<void>
  complete<Result>(task: Promise<Result>): Promise<PromiseSettledResult<Result>>
}

const EDITING_TAKES_MS = 1000
const MOST_EDITORS = 2

/** Does what the steps say. One that fits nobody at that moment does nothing. */
export function playing (stage: Stage) {
  const { state, editors, saves, observe, pass, complete } = stage
  const { world, fileId, model, live } = state
  const pages: EditorConfig[] = []
  let marks = 0
  const save = saving(stage, open)
  const copies = editingCopies(stage)

  return {
    async play (step: Step): Promise<void> {
      switch (step.does) {
        case 'open': {
          const before = live()
          const isQuiet = before.size === 0 && ![...model.keys.values()].some(({ ghost }) => ghost)
          const config = await open(step.side, step.user)
          pages.push(config)
          // Otherwise somebody would always be there, and nothing would be saved for good.
          const isFull = editors.filter(({ is }) => is === 'in').length >= MOST_EDITORS
          return step.joins && !isFull ? await join(config, isQuiet) : undefined
        }
        case 'join': return pages.length > 0 ? await join(pages[step.page % pages.length]!, null) : undefined
        case 'edit': return await forOne(step.session, 'in', edit)
        case 'forceSave': return await forOne(step.session, 'in', async editor => await save.during(step.trouble, step.side, editor, async () => {
          await complete(editor.session.forceSave({ type: step.type }))
        }))
        case 'close': return await forOne(step.session, 'in', async editor => await save.during(step.trouble, step.side, editor, async () => {
          editor.is = 'gone'
          await complete(editor.session.close())
        }))
        case 'disconnect': return await forOne(step.session, 'in', async editor => {
          await complete(editor.session.disconnect())
          editor.is = step.abrupt ? 'gone' : 'cut'
        })
        case 'reconnect': return await forOne(step.session, 'cut', async editor => {
          const isFirst = !live().has(editor.key)
          const { status } = await complete(editor.session.reconnect())
          if (isFirst) model.began(editor.key)
          editor.is = status === 'fulfilled' ? 'in' : 'gone'
        })
        case 'replay': return saves.length > 0 ? await replay(saves[step.save % saves.length]!, step.both ? ['a', 'b'] : [step.side]) : undefined
        case 'changeOutside': {
          const mark = `outside ${++marks}`
          await world.changeOutside(fileId, mark)
          return model.changedOutside(mark, mark)
        }
        case 'editCopy': return await copies.edit(step, `copy ${++marks}`, async editor => {
          await edit(editor)
          await save.during(null, step.side, editor, async () => { await complete(editor.session.forceSave()) })
        })
        case 'pass': return await pass(step.ms)
        case 'crash': return await forOne(step.session, 'in', async editor => await save.crash(editor, step), async () => await save.crash(null, step))
      }
    }
  }

  async function edit ({ session, key }: Editor): Promise<void> {
    const mark = `edit ${++marks}`
    const text = `${String(await session.content())}\n${mark}`
    equal(text, `${model.key(key).text}\n${mark}`, 'the editor shows what is edited under its key')
    await session.edit(text)
    model.edited(key, text, mark)
    await pass(EDITING_TAKES_MS)
  }

  async function open (side: Side, user = 0): Promise<EditorConfig> {
    const control = world.instances[side].app.editorControl({ user: { id: `u${user}`, name: `User ${user}` } })
    await control.openDocument(fileId)
    model.key(control.documentKey)
    return control.config as EditorConfig
  }

  /** `isQuiet`: nobody else is there, so that it shows what is stored; `null`: the page is old, and so may be its key. */
  async function join (config: EditorConfig, isQuiet: boolean | null): Promise<void> {
    const key = config.document!.key!
    const isFirst = !live().has(key)
    const outcome = await complete(world.documentServer.open(config))
    if (isFirst) model.began(key)
    await observe(key)
    if (outcome.status === 'rejected') throw outcome.reason
    const session: Session = outcome.value
    if (session.viewOnly && isQuiet !== null) violated(`whoever opens is given the key ${key}, under which nothing can be edited`)
    editors.push({ session, key, is: 'in' })
    if (session.viewOnly) return
    const one = model.key(key)
    Object.assign(one, { finished: false })
    equal(String(await session.content()), one.text, 'the editor shows what there is under its key')
    if (isQuiet === true) equal(one.text, model.main.text, 'whoever opens sees what is stored')
  }

  async function replay ({ fields }: Announced, sides: readonly Side[]): Promise<void> {
    const { token, ...announced } = fields
    const before = await world.revisionOf(fileId)
    const files = world.createdFiles().size
    const answers = await Promise.all(sides.map(async side => await world.post(side, fileId, announced)))
    for (const answer of answers) equal(answer, '{"error":0}', 'a repeated save is acknowledged')
    equal(await world.revisionOf(fileId), before, 'a repeated save writes nothing')
    equal(world.createdFiles().size, files, 'a repeated save makes no file')
  }

  async function forOne (number: number, is: Editor['is'], task: (editor: Editor) => Promise<void>, otherwise = async () => {}): Promise<void> {
    const fitting = editors.filter(editor => editor.is === is && !editor.session.viewOnly)
    return fitting.length > 0 ? await task(fitting[number % fitting.length]!) : await otherwise()
  }
}
