// Lets server.js run from a clone without settings: an emulated document server, and a document in its storage.
import '../environment.js'
import { firstDocument } from '../first-document.js'

await firstDocument('App_Data/uploads') // where the plugin keeps documents, unless an option says otherwise
