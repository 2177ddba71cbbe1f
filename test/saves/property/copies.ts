import type { EditorConfig } from '../../../lib/testing/index.js'
import { equal, violated } from './invariants.js'
import type { Stage } from './playing.js'
import type { Editor } from './run.js'
import type { Step } from './steps.js'

/** Conflict copies are documents like any other. */
export function editingCopies ({ state, editors, observe, complete }: Stage) {
  const { world, model } = state

  return {
    /** Somebody opens a copy, edits it and leaves. `meanwhile` a session that saved into it until then saves. */
    async edit ({ side, copy, meanwhile }: Extract<Step, { does: 'editCopy' }>, mark: string, save: (editor: Editor) => Promise<void>): Promise<void> {
      if (model.copies.length === 0) return
      const savers = editors.filter(({ is, key, session }) => is === 'in' && !session.viewOnly && model.copies[model.key(key).copy ?? -1] !== undefined)
      const saver = meanwhile && savers.length > 0 ? savers[copy % savers.length]! : null
      const place = saver === null ? copy % model.copies.length : model.key(saver.key).copy!
      const text = model.copies[place]!
      const control = world.instances[side].app.editorControl({ user: { id: 'reader', name: 'Reader' } })
      const copyId = await fileWith(text)
      await control.openDocument(copyId)
      // No time passes: what is to be saved later must not be saved into it yet.
      const session = await world.documentServer.open(control.config as EditorConfig)
      if (session.viewOnly) violated('whoever opens a conflict copy can\'t edit it')
      equal(String(await session.content()), text, 'the editor shows what is in the conflict copy')
      model.copyTaken(place)
      if (saver !== null) await save(saver)
      const edited = `${text}\n${mark}`
      await session.edit(edited)
      await complete(session.close())
      equal(await world.textOf(copyId), edited, 'who edits a conflict copy saves into it')
      model.copySaved(place, edited, mark)
      await observe()
    }
  }

  async function fileWith (text: string): Promise<string> {
    for (const fileId of world.createdFiles()) if (await world.textOf(fileId) === text) return fileId
    return violated(`a conflict copy is missing: ${text}`)
  }
}
