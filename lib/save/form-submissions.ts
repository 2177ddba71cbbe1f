import { hash } from 'node:crypto'
import type { ForceSavedEvent, FormField, FormSubmittedEvent } from '../../types/events.js'
import type { StagedContent } from '../store/contract.js'
import { InvalidCallbackError, TooLargeError, UpstreamError } from '../errors.js'
import { callbackUrl } from '../outbound/result-urls.js'
import type { Services } from '../services.js'
import { spool } from '../store/spool.js'
import { limitConcurrency } from '../util/queue.js'
import { bytesOfContent } from '../util/streams.js'
import { digest, parseJson } from '../util/text.js'
import { isFormData } from './save.compiled.js'
import { saveIdOf } from './save-request.js'
import type { Saves } from './saves.js'

/** Formats of forms. Document servers before 8.1 use the last two. */
const FORMS: ReadonlySet<string> = new Set(['pdf', 'oform', 'docxf'])

/** Large, because pictures are in the data as text. */
const MAX_DATA_BYTES = 16 * 1024 ** 2
/** Larger submissions are fetched and handed over one at a time. */
const FEW_DATA_BYTES = 1024 ** 2
const MAX_FIELDS = 10_000
/** A field has about four values, or as many as a list has entries. */
const MAX_VALUES = 10 * MAX_FIELDS
const MAX_DEPTH = 8

/**
 * Anybody who sees a document can send data, so only a few submissions are in memory at once, and no save waits for
 * them.
 */
const LIMITS = { concurrency: 4, maxWait: 10_000 }
const LIMITS_OF_LARGE = { concurrency: 1, maxWait: 10_000 }

/**
 * Hands the answers in a form to the application. Rejects like the hook, or if the answers cannot be fetched: the
 * document server then repeats them when the user submits the form again. Changes neither the stored form nor the
 * record. Source: emulator/docs/document-server-protocol.md#forced-6-and-7
 *
 * @param handOver Absent if the application wants no answers.
 */
export function createFormSubmissions (
  settings: Services['settings'], { fetch }: Pick<Saves, 'fetch'>,
  handOver: ((event: FormSubmittedEvent) => Promise<void>) | undefined
) {
  const inTurn = limitConcurrency(LIMITS)
  const alone = limitConcurrency(LIMITS_OF_LARGE)

  /** Throws if the application does not accept the form. */
  return function submit (event: ForceSavedEvent): () => Promise<void> {
    const { filetype: fileType = 'pdf' } = event
    if (handOver === undefined) throw new InvalidCallbackError('a form was submitted, and the option onFormSubmitted is not set: the document stays as it is')
    if (!FORMS.has(fileType)) throw new InvalidCallbackError(`a form was submitted in a document of the format ${fileType}, which has no forms: the document stays as it is`)
    return async () => await fetchAndHandOver(event, fileType, handOver)
  }

  async function fetchAndHandOver (
    event: ForceSavedEvent, fileType: string, handOver: (event: FormSubmittedEvent) => Promise<void>
  ): Promise<void> {
    const { url, formsdataurl } = event
    if (url === undefined || formsdataurl === undefined) {
      throw new InvalidCallbackError('it announces a submitted form without its url or formsdataurl, which document servers send from 8.0 on')
    }
    const pdfUrl = callbackUrl(settings, 'url', event)
    const dataUrl = callbackUrl(settings, 'formsdataurl', event)
    const fetchData = async (limit: number) =>
      Buffer.from(
        await fetch({ url: dataUrl, fileType: 'json', storedType: 'json' }, async content =>
          await bytesOfContent(content, limit))
      )
    const fetchPdf = async () =>
      await fetch({ url: pdfUrl, fileType, storedType: fileType }, async content =>
        await spool(content))
    const few = await inTurn(async () => {
      const bytes = await fetchData(FEW_DATA_BYTES).catch(unlessTooLarge)
      return bytes && { bytes, pdf: await fetchPdf() }
    })
    if (few) return await handOverAnswers(event, fileType, few, handOver)
    await alone(async () => {
      const answers = { bytes: await fetchData(MAX_DATA_BYTES), pdf: await fetchPdf() }
      await handOverAnswers(event, fileType, answers, handOver)
    })
  }
}

interface Answers {
  readonly bytes: Buffer
  readonly pdf: StagedContent
}

async function handOverAnswers (
  event: ForceSavedEvent, fileType: string, { bytes, pdf }: Answers,
  handOver: (event: FormSubmittedEvent) => Promise<void>
): Promise<void> {
  const { fileId, key, actions, users } = event
  try {
    const userId = actions?.find(({ type }) => type === 2)?.userid ?? users?.[0]
    await handOver({
      id: digest(saveIdOf(event), userId ?? '', hash('sha256', bytes)),
      fileId,
      ...(key !== undefined && { key }),
      ...(userId !== undefined && { user: { id: userId } }),
      data: fieldsIn(bytes),
      pdf,
      fileType,
      size: pdf.size
    })
  } finally {
    await pdf.discard()
  }
}

function unlessTooLarge (error: unknown): undefined {
  if (!(error instanceof TooLargeError)) throw error
}

function fieldsIn (bytes: Buffer): readonly FormField[] {
  if (isTooMuch(bytes)) throw unusable(`more than ${MAX_FIELDS} fields, or nested values`)
  const data = parseJson(bytes.toString())
  if (!isFormData(data)) throw unusable('something other than a list of fields')
  if (data.length > MAX_FIELDS) throw unusable(`more than ${MAX_FIELDS} fields`)
  // JSON.parse makes `__proto__` an own property: copying the field would set a prototype.
  for (const field of data) Reflect.deleteProperty(field, '__proto__')
  return data as readonly FormField[]
}

function unusable (found: string): UpstreamError {
  return new UpstreamError(`the data of the form has ${found}`, { retryable: false })
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
/** The square bracket and the brace. */
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Whether parsing the JSON would take long. Runs in one pass, so no input can make it slow. */
function isTooMuch (json: Buffer): boolean {
  let [values, depth] = [0, 0]
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) inText = !inText
    else if (inText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA) values++
    else if (OPENING.has(byte)) depth++
    else if (CLOSING.has(byte)) depth--
    if (values > MAX_VALUES || depth > MAX_DEPTH) return true
  }
  return false
}
