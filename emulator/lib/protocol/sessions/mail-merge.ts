import { resultFolder } from '../result-files/files.js'
import { postCallback } from './callbacks.js'
import type { OpenDocument } from './open-document.js'
import type { Parts } from '../parts.js'
import type { Participant } from './participants.js'
import type { CallbackResult, MailMerge } from '../../../types/session.js'

/**
 * Posts one 5 for each recipient. Runs in the document's turn. Source: docs/document-server-protocol.md#mail-merge-5
 */
export async function sendMailMerge (
  parts: Parts,
  document: OpenDocument,
  sender: Participant,
  { from, subject, title, message, type = 0, recipients }: MailMerge
): Promise<CallbackResult[]> {
  const { key, fileType } = document
  const results: CallbackResult[] = []
  const bytes = document.bytes()
  let recordErrorCount = 0
  for (const [recordIndex, to] of recipients.entries()) {
    const path = parts.files.put(`${resultFolder(key)}/output.${fileType}`, `output.${fileType}`, bytes, fileType)
    const result = await postCallback(parts, sender.callbackUrl, {
      key,
      status: 5,
      url: parts.files.urlOf(path, document.baseUrl, key),
      users: [sender.userId],
      mailMerge: {
        from,
        to,
        subject,
        title,
        message,
        type,
        recordCount: recipients.length,
        recordIndex,
        recordErrorCount,
        userId: sender.userId
      },
      filetype: fileType
    })
    if (!result.accepted) recordErrorCount++
    results.push(result)
  }
  return results
}
