// One process for all: starting one takes longer than these tests.
import './addresses/health-and-page.js'
import './addresses/result-files.js'
import './addresses/shardkey.js'
