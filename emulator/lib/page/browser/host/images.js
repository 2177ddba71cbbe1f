import { emit } from '../embedding-page.js'
import { showToast } from '../frame.js'
import { refused, request } from '../session.js'
import { isWord, mayEdit } from './conditions.js'
/** @import { Feature } from './features.js' */

/** @type {Feature} */
export const images = {
  buttons: [{
    name: 'Insert image',
    event: 'onRequestInsertImage',
    when: opened => mayEdit(opened) && isWord(opened),
    click: () => emit('onRequestInsertImage', { c: 'add' })
  }],
  commands: {
    /** The document server fetches the images and appends them. @param {{ data: object | null }} detail */
    async insertImage ({ data }) {
      try {
        const { inserted } = await request({ type: 'insertImages', data })
        showToast(inserted === 1 ? 'An image was inserted' : `${inserted} images were inserted`)
      } catch (error) {
        refused(error)
      }
    }
  }
}
