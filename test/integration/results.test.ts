// One process for all: starting one takes longer than these tests.
import './results/result-faults.js'
import './results/word-result-faults.js'
import './results/slow-result.js'
import './results/other-origin.js'
import './results/moved-service.js'
import './results/tokens.js'
