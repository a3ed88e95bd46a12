/** What Postgres does for statements of the Worker: their plans as executed, those within functions too. */
import pg from 'pg'

/** A node of a plan, as EXPLAIN's JSON has it. */
export type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Function Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Total Cost': number
  readonly Plans?: readonly PlanNode[]
}

/** A statement that was run, outer or within a function, with its plan. */
export type Explained = { readonly text: string; readonly plan: PlanNode }

/** What the Worker sends as one statement. */
export type SentStatement = { readonly query: string; readonly params: readonly unknown[] }

/**
 * Runs a batch in a transaction that is rolled back, as the Worker's role, and answers the plans in the order in which they ended.
 * It takes a superuser: `auto_explain` is loaded into the session alone. Settings are those of the server.
 */
export async function explained(superuserUrl: string, batch: readonly SentStatement[]): Promise<Explained[]> {
  const client = new pg.Client({ connectionString: superuserUrl })
  const plans: Explained[] = []
  client.on('notice', ({ message }) => {
    const json = message?.startsWith('duration: ') ? message.slice(message.indexOf('{')) : null
    if (!json) return
    const { 'Query Text': text, Plan: plan } = JSON.parse(json)
    plans.push({ text, plan })
  })
  await client.connect()
  try {
    await client.query(`load 'auto_explain'`)
    for (const [name, value] of settings) await client.query(`set auto_explain.${name} = ${value}`)
    await client.query('set session authorization catalogue_app')
    await client.query('begin')
    for (const { query, params } of batch) await client.query(query, [...params])
    await client.query('rollback')
    return plans
  } finally {
    await client.end()
  }
}

const settings = [
  ['log_min_duration', 0],
  ['log_analyze', 'on'],
  ['log_timing', 'off'],
  ['log_buffers', 'on'],
  ['log_nested_statements', 'on'],
  ['log_format', 'json'],
  ['log_level', 'notice'],
] as const

/** Every node of a plan. */
export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** Rows that a node looked at, in all its loops: those that it gave, and those that it left out. */
export function rowsRead(node: PlanNode): number {
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return each * node['Actual Loops']
}
