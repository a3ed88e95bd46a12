/** The least that can be done: one select of ready text through the same driver, answered as it is. */
import { type NeonQueryFunction, neon, neonConfig } from '@neondatabase/serverless'
import { floorQuery } from './floor-query.ts'

type Settings = { readonly DATABASE_URL: string; readonly NEON_FETCH_ENDPOINT: string }

let ask: NeonQueryFunction<false, false> | null = null

export default {
  async fetch(request, { DATABASE_URL, NEON_FETCH_ENDPOINT }) {
    neonConfig.fetchEndpoint = NEON_FETCH_ENDPOINT
    ask ??= neon(DATABASE_URL)
    const [row] = await ask.query(floorQuery, [new URL(request.url).pathname])
    return new Response(row?.body, {
      status: row ? 200 : 404,
      headers: { 'Content-Type': 'application/ld+json' },
    })
  },
} satisfies ExportedHandler<Settings>
