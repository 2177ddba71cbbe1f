import t from 'tap'
import { postgresStorage } from '../../lib/store/postgres/index.js'
import { storageConformance } from '../../lib/conformance/index.js'
import { noPostgres, postgres } from '../kit/postgres.js'

t.setTimeout(300_000)

t.test('the PostgreSQL storage passes the conformance suite', { skip: noPostgres }, async t => {
  let cases = 0
  const { pool } = await postgres(t)
  await storageConformance({
    test: (name, run) => t.test(name, run),
    create () {
      const schema = `conformance ${++cases}`
      const reopen = () => postgresStorage({ pool, schema, sweepInterval: false })
      return { storage: reopen(), reopen, list: async () => await documentsIn(schema) }
    }
  })
  t.ok(cases > 15)

  async function documentsIn (schema: string): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      `SELECT file_id AS id FROM "${schema}".onlyoffice_records WHERE record::json ->> 'content' IS NOT NULL ORDER BY 1`
    )
    return rows.map(({ id }) => id)
  }
})
