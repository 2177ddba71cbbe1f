// One process for all: starting one takes longer than these tests.
import './callbacks/duplicate.js'
import './callbacks/reorder.js'
import './callbacks/other-origin.js'
import './callbacks/assembly.js'
import './callbacks/conversion.js'
import './callbacks/tokens.js'
