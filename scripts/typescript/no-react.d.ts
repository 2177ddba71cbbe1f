// tap's types import React's, which declare every class of a browser as an empty one.
export {}
