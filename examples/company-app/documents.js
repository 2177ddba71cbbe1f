import { NotAllowed, NotFound, Occupied } from './errors.js'

const READABLE = `SELECT documents.id, documents.name, extension, documents.name || '.' || extension AS title, folder,
    owner, users.name AS "ownerName", is_template AS "isTemplate", mode
  FROM documents JOIN rights ON document = documents.id JOIN users ON users.id = owner`

// Names, folders and rights. The contents are in the storage of the plugin, by the same ID. Whoever calls says for
// whom: what the user has no right to is not found.
export function createDocuments (database) {
  const rows = async (text, values) => (await database.query(text, values)).rows

  return {
    async find (id, userId) {
      return (await rows(`${READABLE} WHERE documents.id = $1 AND user_id = $2`, [id, userId]))[0]
    },

    async readable (id, userId) {
      const document = await this.find(id, userId)
      if (!document) throw new NotFound()
      return document
    },

    async owned (id, userId) {
      const document = await this.readable(id, userId)
      if (document.owner !== userId) throw new NotAllowed('Only the owner of a document may do that')
      return document
    },

    // What a folder of the user contains; without a folder, also what others share.
    list: (userId, folder) => rows(
      `${READABLE} WHERE user_id = $1 AND (owner = $1 AND folder IS NOT DISTINCT FROM $2::uuid
        OR owner <> $1 AND $2::uuid IS NULL) ORDER BY lower(documents.name)`,
      [userId, folder]
    ),

    templates: userId => rows(`${READABLE} WHERE user_id = $1 AND is_template ORDER BY lower(documents.name)`, [userId]),

    add: ({ id, owner, folder = null, name, extension }) => rows(
      'INSERT INTO documents (id, owner, folder, name, extension) VALUES ($1, $2, $3, $4, $5)',
      [id, owner, folder, name, extension]
    ),

    // Of a save that could not replace the document: whoever may use this may use that. Without such a document an
    // administrator gets it.
    async addCopy (id, copyId, extension) {
      await rows(
        `INSERT INTO documents (id, owner, folder, name, extension)
          SELECT $2, coalesce(original.owner, users.id), folder, coalesce(original.name, 'Recovered') || ' (copy)', $3
            FROM users LEFT JOIN documents original ON original.id = $1 WHERE is_admin ORDER BY users.login LIMIT 1
          ON CONFLICT DO NOTHING`,
        [id, copyId, extension]
      )
      const copyOfShares = 'INSERT INTO shares SELECT $2, user_id, mode FROM shares WHERE document = $1 ON CONFLICT DO NOTHING'
      await rows(copyOfShares, [id, copyId])
    },

    async change (id, { name, extension, folder, isTemplate, isDeleted }) {
      await rows(
        `UPDATE documents SET name = coalesce($2, name), extension = coalesce($3, extension),
          folder = CASE WHEN $4 THEN $5::uuid ELSE folder END, is_template = coalesce($6, is_template),
          deleted = CASE WHEN $7 THEN now() ELSE deleted END WHERE id = $1`,
        [id, name, extension, folder !== undefined, folder, isTemplate, isDeleted ?? false]
      )
    },

    rightsOf: id => rows(
      'SELECT user_id AS "userId", name, mode FROM rights JOIN users ON users.id = user_id WHERE document = $1 ORDER BY name',
      [id]
    ),

    async share (id, userId, mode) {
      if (mode === 'none') await rows('DELETE FROM shares WHERE document = $1 AND user_id = $2', [id, userId])
      else {
        await rows(
          `INSERT INTO shares VALUES ($1, $2, $3)
            ON CONFLICT (document, user_id) DO UPDATE SET mode = excluded.mode`,
          [id, userId, mode]
        )
      }
    },

    async titles (ids) {
      const found = await rows(`SELECT id, name || '.' || extension AS title
        FROM documents WHERE id = ANY($1)`, [ids])
      return new Map(found.map(({ id, title }) => [id, title]))
    },

    async folder (id, userId) {
      const [folder] = await rows('SELECT id, name, parent FROM folders WHERE id = $1 AND owner = $2', [id, userId])
      if (!folder) throw new NotFound()
      return folder
    },

    folders: userId => rows('SELECT id, name, parent FROM folders WHERE owner = $1 ORDER BY lower(name)', [userId]),

    addFolder: ({ owner, parent, name }) =>
      rows('INSERT INTO folders (owner, parent, name) VALUES ($1, $2, $3)', [owner, parent, name]),

    async removeFolder (id) {
      await rows('UPDATE documents SET folder = NULL WHERE folder = $1 AND deleted IS NOT NULL', [id])
      await rows('DELETE FROM folders WHERE id = $1', [id]).catch(error => {
        throw error.code === '23503' ? new Occupied('The folder is not empty') : error
      })
    }
  }
}
