// One process for all: starting one takes longer than these tests.
import './sessions/crash.js'
import './sessions/dropped-connection.js'
import './sessions/ending.js'
import './sessions/forgotten-copy.js'
import './sessions/opening.js'
import './sessions/used-keys.js'
import './sessions/while-saving.js'
