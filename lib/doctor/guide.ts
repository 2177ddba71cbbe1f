/** How an application lets the document server through its login hooks. The npm package contains no docs. */
export const LOGIN_GUIDE = 'https://github.com/fastify-onlyoffice/fastify-onlyoffice/blob/main/docs/login-hooks.md'
