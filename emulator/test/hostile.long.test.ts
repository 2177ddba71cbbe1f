// One process for all: starting one takes longer than these tests.
import './hostile/connections.js'
import './hostile/documents.js'
import './hostile/memory.js'
import './hostile/packages.js'
import './hostile/texts.js'
import './hostile/workbooks.js'
