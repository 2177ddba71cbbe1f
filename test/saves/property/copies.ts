import type { EditorConfig } from '../../../lib/testing/index.js'
import { equal, violated } from './invariants.js'
import type { Stage } from './playing.js'
import type { Step } from './steps.js'

/** Conflict copies are documents like any other. */
export function editingCopies ({ state, observe, complete }: Stage) {
  const { world, model } = state

  return {
    /** Somebody opens a copy, edits it and leaves. `meanwhile` happens while they are in. */
    async edit ({ side, copy }: Extract<Step, { does: 'editCopy' }>, mark: string, meanwhile: () => Promise<void>): Promise<void> {
      if (model.copies.length === 0) return
      const place = copy % model.copies.length
      const text = model.copies[place]!
      const control = world.instances[side].app.editorControl({ user: { id: 'reader', name: 'Reader' } })
      await control.openDocument(await fileWith(text))
      // No time passes: what is to be saved later must not be saved into it yet.
      const session = await world.documentServer.open(control.config as EditorConfig)
      if (session.viewOnly) violated('whoever opens a conflict copy can\'t edit it')
      equal(String(await session.content()), text, 'the editor shows what is in the conflict copy')
      model.copyTaken(place)
      await meanwhile()
      const edited = `${text}\n${mark}`
      await session.edit(edited)
      await complete(session.close())
      model.copySaved(place, edited, mark)
      await observe()
    }
  }

  async function fileWith (text: string): Promise<string> {
    for (const fileId of world.createdFiles()) if (await world.textOf(fileId) === text) return fileId
    return violated(`a conflict copy is missing: ${text}`)
  }
}
