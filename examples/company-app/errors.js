import createError from '@fastify/error'

// Their messages are shown to the user.
export const Wrong = createError('APP_WRONG', '%s', 400)
export const NotAllowed = createError('APP_NOT_ALLOWED', '%s', 403)
// Also for what somebody else may see: nobody finds out what there is.
export const NotFound = createError('APP_NOT_FOUND', 'There is nothing here, or not for you', 404)
export const Occupied = createError('APP_OCCUPIED', '%s', 409)
