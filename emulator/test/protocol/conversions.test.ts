// One process for all: starting one takes longer than these tests.
import './conversions/cache.js'
import './conversions/download.js'
import './conversions/errors.js'
import './conversions/leniency.js'
import './conversions/result-address.js'
import './conversions/service.js'
import './conversions/timing.js'
