import type { ForceSavedEvent, FormField, FormSubmittedEvent } from '../../types/events.js'
import { InvalidCallbackError, UpstreamError } from '../errors.js'
import type { Settings } from '../options.js'
import { callbackUrl } from '../outbound/result-urls.js'
import { spool } from '../storage/timed-storage.js'
import { bytesOfContent } from '../util/streams.js'
import { digest, parseJson } from '../util/text.js'
import { isFormData } from './form-data.compiled.js'
import { saveIdOf } from './save-request.js'
import type { Saves } from './saves.js'

/** Pictures are in the data as text. */
const MAX_DATA_BYTES = 16 * 1024 ** 2

/**
 * Hands the answers in a form to the application. Rejects as the hook does or if they cannot be fetched: the document
 * server then repeats them when the user submits the form again. They neither change the stored form nor the record.
 * Source: docs/document-server-protocol.md#forced-6-and-7
 */
export function createFormSubmissions (
  settings: Settings, { fetch, inTurn }: Pick<Saves, 'fetch' | 'inTurn'>,
  handOver: (event: FormSubmittedEvent) => Promise<void>
) {
  return async function submit (event: ForceSavedEvent): Promise<void> {
    const { fileId, key, url, formsdataurl, filetype: fileType = 'pdf', actions, users } = event
    if (url === undefined || formsdataurl === undefined) {
      throw new InvalidCallbackError('it announces a submitted form without its url or formsdataurl, which document servers send from 8.0 on')
    }
    const pdfUrl = callbackUrl(settings, 'url', event)
    const dataUrl = callbackUrl(settings, 'formsdataurl', event)
    const { text, pdf } = await inTurn(async () => ({
      text: await fetch({ url: dataUrl, filetype: 'json', extension: 'json' }, async content =>
        Buffer.from(await bytesOfContent(content, MAX_DATA_BYTES)).toString()),
      pdf: await fetch({ url: pdfUrl, filetype: fileType, extension: fileType }, async content =>
        await spool(fileId, content))
    }))
    try {
      const userId = actions?.find(({ type }) => type === 2)?.userid ?? users?.[0]
      await handOver({
        id: digest(saveIdOf(event), userId ?? '', text),
        fileId,
        ...(key !== undefined && { key }),
        ...(userId !== undefined && { user: { id: userId } }),
        data: fieldsIn(text),
        pdf,
        fileType,
        size: pdf.size
      })
    } finally {
      await pdf.discard()
    }
  }
}

function fieldsIn (text: string): readonly FormField[] {
  const data = parseJson(text)
  if (isFormData(data)) return data as readonly FormField[]
  throw new UpstreamError('the data of the form is not a list of fields', { retryable: false })
}
