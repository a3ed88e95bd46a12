/** Postgres' plans of the Worker's statements, as executed, those within functions too. */
import pg from 'pg'
import type { SentStatement } from './sent.ts'

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

/** Makes Postgres log the plans of all statements of the Worker's role in a database; it takes a superuser of that database. */
export async function logPlans(superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const database = client.escapeIdentifier(new URL(superuserUrl).pathname.slice(1))
    for (const [name, value] of settings)
      await client.query(`alter role catalogue_app in database ${database} set ${name} = ${value}`)
  } finally {
    await client.end()
  }
}

const settings = [
  ['session_preload_libraries', 'auto_explain'],
  ['auto_explain.log_min_duration', 0],
  ['auto_explain.log_analyze', 'on'],
  ['auto_explain.log_timing', 'off'],
  ['auto_explain.log_nested_statements', 'on'],
  ['auto_explain.log_format', 'json'],
  ['auto_explain.log_level', 'notice'],
] as const

/**
 * Runs a batch in a transaction that is rolled back, in a database that logs plans, and returns those in the order in which the
 * statements ended. Settings are those of the server and of the Worker's role.
 */
export async function explained(appUrl: string, batch: readonly SentStatement[]): Promise<Explained[]> {
  const client = new pg.Client({ connectionString: appUrl })
  const plans: Explained[] = []
  client.on('notice', ({ message }) => {
    const json = message?.startsWith('duration: ') ? message.slice(message.indexOf('{')) : null
    if (!json) return
    const { 'Query Text': text, Plan: plan } = JSON.parse(json)
    plans.push({ text, plan })
  })
  await client.connect()
  try {
    await client.query('begin')
    for (const { query, params } of batch) await client.query(query, [...params])
    await client.query('rollback')
    return plans
  } finally {
    await client.end()
  }
}

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
