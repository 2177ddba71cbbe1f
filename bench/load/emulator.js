// A document server with an editor that a browser can open.
import { createDocumentServer } from 'onlyoffice-emulator'
import { answerCalls } from '../framework/child.js'
import { JWT_SECRET } from '../framework/secret.js'

answerCalls({
  async start () {
    const { url } = await createDocumentServer({ jwtSecret: JWT_SECRET, libreOffice: false })
    return { url }
  }
})
