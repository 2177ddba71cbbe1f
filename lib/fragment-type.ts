/**
 * Media type of the output of `control.render()`, for a route that `<document-editor src>` fetches from. The element
 * accepts no other type, and uploads are never sent with this one.
 * @example
 * ```js
 * app.get('/documents/report/editor', async (_request, reply) => {
 *   const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
 *   return reply.type(fragmentType).header('cache-control', 'no-store').send(control.render())
 * })
 * ```
 */
export const fragmentType = 'text/vnd.fastify-onlyoffice.fragment+html'
