import type { SignedMethods } from '../../types/signed-data.js'
import type { ActionOptions } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { Choices } from './choices.js'
import { isImagesBody } from './requests.compiled.js'
import type { SignMethod } from './signing.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['images']>
  readonly choices: Choices
  readonly sign: SignMethod
}

type Images = SignedMethods['insertImage']['images']

/** Images to insert, each with the argument of `insertImage`. */
export function imagesAction ({ hook, choices, sign }: Dependencies): PageAction {
  return pageAction({
    name: 'images',
    isBody: isImagesBody,
    async run (page) {
      const { c, ...filter } = page.body
      return await choices.offer(
        { name: 'images', hook },
        page,
        filter.search === undefined ? {} : { search: filter.search },
        ({ fileType, url }) => sign('insertImage', { c, images: [{ fileType, url }] as Images })
      )
    }
  })
}
