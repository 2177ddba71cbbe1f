// One process for all: starting one takes longer than these tests.
import './sessions/life-of-a-document.js'
import './sessions/co-editing.js'
import './sessions/force-save.js'
import './sessions/lost-connection.js'
import './sessions/viewer.js'
import './sessions/names.js'
import './sessions/userdata.js'
