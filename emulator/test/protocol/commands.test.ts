// One process for all: starting one takes longer than these tests.
import './commands/drop-and-meta.js'
import './commands/forcesave.js'
import './commands/forgotten.js'
import './commands/info.js'
import './commands/service.js'
