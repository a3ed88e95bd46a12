import { inject } from 'vitest'
import { connected } from './database.ts'

/** A query of Analytics Engine as one of Postgres, whose conditions on groups name no columns of the result. */
const asPostgres = (query: string) =>
  query
    .replace(
      /quantileExactWeighted\(([\d.]+)\)\((\w+), _sample_interval\)/,
      'percentile_disc($1) within group (order by $2)',
    )
    .replace(/sumIf\((\w+), ([^)]+)\)/, 'coalesce(sum($1) filter (where $2), 0)')
    .replace(/select([^;]+) having ([^;]+) order by/, 'select * from (select$1) found where $2 order by')

/** The result of each query of Analytics Engine about points, of which one in `interval` was stored. */
export function analyse(
  points: readonly AnalyticsEngineDataPoint[],
  queries: readonly string[],
  interval = 1,
): Promise<unknown[][]> {
  return connected(inject('ownerUrl'), async (client) => {
    await client.query(`create temp table catalogue_metrics as
      select now() as timestamp, ${interval}.0 as _sample_interval, blobs ->> 0 as blob1, blobs ->> 1 as blob2, blobs ->> 2 as blob3,
             blobs ->> 3 as blob4, (doubles ->> 0)::float8 as double1, (doubles ->> 1)::float8 as double2
        from jsonb_to_recordset('${JSON.stringify(points)}') as point(blobs jsonb, doubles jsonb)`)
    const results: unknown[][] = []
    for (const query of queries) results.push((await client.query(asPostgres(query))).rows)
    return results
  })
}
