import { editsIn, note, shortKey } from './document.js'

/** @typedef {import('./document.js').EditedDocument} EditedDocument */
/** @typedef {import('onlyoffice-emulator').SentRequest} SentRequest */

/**
 * Notes which saves were acknowledged, and what was in them.
 * @param {object} around
 * @param {import('onlyoffice-emulator').DocumentServer} around.documentServer
 * @param {ReadonlyMap<string, EditedDocument>} around.documents by fileId
 * @param {import('./counts.js').Counts} around.counts
 */
export function watchCallbacks ({ documentServer, documents, counts }) {
  /** @type {Set<Promise<void>>} */
  const noting = new Set()
  watch().catch(() => {}) // ends with the document server

  return {
    /** Resolves when all that were answered are noted. */
    async noted () {
      while (noting.size > 0) await Promise.all(noting)
    }
  }

  async function watch () {
    for (;;) {
      const noted = see(await documentServer.nextCallback())
      noting.add(noted)
      noted.finally(() => noting.delete(noted))
    }
  }

  /** @param {SentRequest} callback */
  async function see ({ url, body, answer, error }) {
    const { status, key, url: savedUrl } = /** @type {{ status: number, key: string, url: string }} */ (body)
    const document = documents.get(String(new URL(url).searchParams.get('fileId')))
    if (document === undefined) return
    const said = answer ? `${answer.status} ${JSON.stringify(answer.body).slice(0, 100)}` : `no answer: ${error?.message}`
    const isAcknowledged = answer?.status === 200 && Object(answer.body).error === 0
    const isSave = status === 2 || status === 6
    const edits = isSave ? editsIn(await fetched(savedUrl), document.fileId) : undefined
    note(document, `${status} of ${shortKey(key)}${isSave ? ` with ${edits?.at(-1)}` : ''} was answered ${said}`)
    if (!isSave) return
    if (isAcknowledged) {
      counts.acknowledged++
      document.acknowledged.push({ edits: edits ?? [], what: `${status} of ${shortKey(key)}` })
    } else if (answer?.status === 200) counts.refused++
    else counts.unanswered++
  }
}

/** @param {string} url */
async function fetched (url) {
  const response = await fetch(url)
  return Buffer.from(await response.arrayBuffer())
}
