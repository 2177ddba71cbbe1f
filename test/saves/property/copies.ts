import type { EditorConfig } from 'onlyoffice-emulator'
import { equal, violated } from './invariants.js'
import { TAKEN } from './model.js'
import type { Stage } from './playing.js'
import type { Editor } from './run.js'
import type { Step } from './steps.js'

/** Conflict copies are documents like any other. */
export function editingCopies ({ state, editors, observe, complete }: Stage) {
  const { world, model } = state

  return {
    /** Somebody opens a copy, edits it and leaves. `meanwhile` a session that saved into it until then saves. */
    async edit ({ side, copy, meanwhile }: Extract<Step, { does: 'editCopy' }>, mark: string, save: (editor: Editor) => Promise<void>): Promise<void> {
      if (model.copies.size === 0) return
      const savers = editors.filter(({ is, key, session }) => is === 'in' && !session.viewOnly && model.copies.has(model.key(key).copy ?? ''))
      const saver = meanwhile && savers.length > 0 ? savers[copy % savers.length]! : null
      const copyId = saver === null ? [...model.copies][copy % model.copies.size]! : model.key(saver.key).copy!
      const text = await world.outside.textOf(copyId)
      const control = world.instances[side].app.editorControl({ user: { id: 'reader', name: 'Reader' } })
      await control.openDocument(copyId)
      // No time passes: what is to be saved later must not be saved into it yet.
      const session = await world.documentServers[side].open(control.config as EditorConfig)
      if (session.viewOnly) violated('whoever opens a conflict copy can\'t edit it')
      equal(String(await session.content()), text, 'the editor shows what is in the conflict copy')
      for (const one of model.keys.values()) if (one.copy === copyId) one.copy = TAKEN
      if (saver !== null) await save(saver)
      const edited = `${text}\n${mark}`
      await session.edit(edited)
      model.owed.add(mark)
      await complete(session.close())
      equal(await world.outside.textOf(copyId), edited, 'who edits a conflict copy saves into it')
      await observe()
    }
  }
}
