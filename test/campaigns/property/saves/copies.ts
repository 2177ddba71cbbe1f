import type { EditorConfig } from 'onlyoffice-emulator'
import { equal, violated } from './invariants.js'
import { TAKEN } from './model.js'
import type { Arguments, Stage } from './actions.js'
import type { Editor } from './situation.js'

/** Conflict copies are documents like any other. */
export function editingCopies ({ state, editors, observe, complete }: Stage) {
  const { world, model } = state

  /** Editors whose saves go to a copy. */
  function savers (): Editor[] {
    return editors.filter(({ is, key, session }) => is === 'in' && !session.viewOnly && model.copies.has(model.key(key).copy ?? ''))
  }

  return {
    savers,

    /** Somebody opens a copy, edits it and leaves. `meanwhile` a session that saved into it saves. */
    async edit ({ side, copy, meanwhile }: Arguments<'editCopy'>, mark: string, save: (editor: Editor) => Promise<void>): Promise<void> {
      const all = savers()
      const saver = meanwhile && all.length > 0 ? all[copy % all.length]! : null
      const copyId = saver === null ? [...model.copies][copy % model.copies.size]! : model.key(saver.key).copy!
      const text = await world.outside.textOf(copyId)
      const control = world.instances[side].app.editorControl({ user: { id: 'reader', name: 'Reader' } })
      await control.openDocument(copyId)
      // No time passes: a save that is due later must not be stored in it yet.
      const session = await world.documentServers[side].open(control.config as EditorConfig)
      if (session.viewOnly) violated('whoever opens a conflict copy cannot edit it')
      equal(String(await session.content()), text, 'the editor shows the content of the conflict copy')
      for (const one of model.keys.values()) if (one.copy === copyId) one.copy = TAKEN
      if (saver !== null) await save(saver)
      const edited = `${text}\n${mark}`
      await session.edit(edited)
      model.owed.add(mark)
      await complete(session.close())
      equal(await world.outside.textOf(copyId), edited, 'whoever edits a conflict copy saves into it')
      await observe()
    }
  }
}
