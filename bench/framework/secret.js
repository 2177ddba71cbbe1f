/** Shared by the applications and the load. */
export const JWT_SECRET = 'a-secret-of-this-benchmark-0123456789'
