// One process for all: starting one takes longer than these tests.
import './answers/accepted.js'
import './answers/assembly-failed.js'
import './answers/never-retried.js'
import './answers/redirected.js'
import './answers/refused.js'
import './answers/retried.js'
import './answers/unanswered.js'
