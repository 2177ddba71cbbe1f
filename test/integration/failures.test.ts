// One process for all: starting one takes longer than these tests.
import './failures/storage-failure.js'
import './failures/host-failure.js'
import './failures/crash.js'
import './failures/repeated-callbacks.js'
import './failures/assembly.js'
