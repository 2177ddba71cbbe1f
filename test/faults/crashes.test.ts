// One process for all: starting one takes longer than these tests.
import './crashes/down.js'
import './crashes/while-saving.js'
import './crashes/reconnect.js'
