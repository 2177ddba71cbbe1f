// One process for all: starting one takes longer than these tests.
import './downloads/attempts.js'
import './downloads/content.js'
import './downloads/empty-document.js'
import './downloads/redirects.js'
import './downloads/size-limit.js'
