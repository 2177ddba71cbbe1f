// Lets server.js run from a clone without settings: an emulated document server, and a document in its storage.
import '../environment.js'
import { mkdir, writeFile } from 'node:fs/promises'
import { blankDocument } from 'fastify-onlyoffice'

const DIRECTORY = 'App_Data/uploads' // where the plugin keeps documents, unless an option says otherwise

await mkdir(DIRECTORY, { recursive: true })
await writeFile(`${DIRECTORY}/report.docx`, blankDocument('docx'), { flag: 'wx' }).catch(error => {
  if (error.code !== 'EEXIST') throw error
})
