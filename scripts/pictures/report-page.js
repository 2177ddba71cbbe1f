/** @import { FastifyInstance } from 'fastify' */

/**
 * The page of the README. `?user=` names the user.
 * @param {FastifyInstance} app
 */
export function reportRoute (app) {
  app.get('/report', async (request, reply) => {
    const { user: name = 'Ada' } = /** @type {{ user?: string }} */ (request.query)
    const control = app.editorControl({ user: { id: name, name } })
    await control.openDocument('report', { name: 'Report.docx' })
    return reply.type('text/html').header('cache-control', 'no-store').send(`<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Report</title>
<style>body { margin: 0 }</style>
${control.render()}`)
  })
}
