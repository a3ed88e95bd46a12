import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { Access } from '../core/access.ts'
import { type Actor, type Tenant, tenantSettings } from '../core/context.ts'
import { localeOf } from '../core/locale.ts'
import { noRequest } from '../core/log.ts'
import type { Callbacks, Context, ForgetLocale } from '../core/operation.ts'
import { englishMessages } from '../core/problem.ts'
import { traceIn } from '../core/trace.ts'
import type { Session } from '../db/client.ts'
import { columnsOf, type RowOf, type Statement, statement } from '../db/query.ts'
import { currentVersion } from '../versions/index.ts'
import { catalogue } from './catalogue.ts'
import { allScopes } from './index.ts'
import { indexProducts, productsToIndex } from './products/reindex.ts'
import { titledTables } from './shared/titles.ts'
import { forgetLocaleOfSubscription } from './webhooks/subscriptions/write.ts'

/**
 * Adds and removes locales of a tenant while it is served.
 * A new locale is indexed for all products and titles, and a removed one is deleted from all texts. Each step may be lost, run
 * twice or lose a race. A row of `locale_changes` stores the progress, and a job of each minute resumes it. If a pass
 * began before every Worker knew of the change, another pass follows.
 */

/** Rows that one step reads, and index rows that one step deletes. */
const rowsPerStep = 200
const wordsPerStep = 1000
/** The time for which a step is reserved to one worker. */
const lease = sql`interval '30 seconds'`

/** The progress of a locale change. */
export type LocaleChange = RowOf<typeof changeRow>
const changeRow = {
  ...columnsOf(z.string(), 'locale', 'settlesAt', 'passBeganAt', 'lastId'),
  action: z.enum(['index', 'remove']),
  version: z.number(),
  /** UTC. A pass that began after `settlesAt` is the last. */
  askedAt: z.string(),
  /** The number and the name of the current part of the work. `lastId` is the last finished row of it. */
  part: z.number(),
  partName: z.string().nullable(),
  /** The number of finished rows of this pass. */
  done: z.number(),
}

/**
 * Processes the due changes of a session's tenant while it has time.
 * Calls `onStep` with the progress after each step. Returns whether a change remains. @throws the first failure, after the other changes
 */
export async function changeLocales(
  db: Session,
  callbacks: Callbacks,
  hasTime: () => boolean,
  onStep: (change: LocaleChange) => void = () => {},
): Promise<boolean> {
  const { changes } = await db.write({ changes: reserveDue })
  if (changes.length === 0) return false
  const { settings } = await db.read({
    settings: statement(sql`select own_settings() as tenant`, { tenant: tenantSettings.nullable() }),
  })
  const tenant = settings[0]?.tenant
  if (!tenant) return false
  const context = operatorContext(db, tenant, callbacks)
  const failures: unknown[] = []
  for (const due of changes)
    await changeLocale(context, due, hasTime, onStep).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return !hasTime()
}

async function changeLocale(
  context: Context,
  due: LocaleChange,
  hasTime: () => boolean,
  onStep: (change: LocaleChange) => void,
): Promise<void> {
  let change: LocaleChange | null = due
  while (change && hasTime()) {
    change = await step(context, change)
    if (change) onStep(change)
  }
  if (change) await context.db.write({ released: release(change) })
}

/** The stored name of a part of a pass, and its function. */
type Part = readonly [name: string, run: Run]
/** Processes some rows after the last one. Returns the new last one, or null if no rows remain. */
type Run = (context: Context, change: LocaleChange) => Promise<{ last: string; rows: number } | null>

const inColumn = (locale: string) => sql`locale = ${locale}`
const inTranslations = (locale: string) => sql`translations -> ${locale}::text is not null`

const partsOf: Readonly<Record<LocaleChange['action'], readonly Part[]>> = {
  index: [['search', indexNext], ...titledTables.map((table): Part => [table, addTitles(table)])],
  remove: [
    ['subscriptions', removeLocaleFrom('webhook_subscriptions', inColumn, forgetLocaleOfSubscription)],
    ...catalogue.flatMap(({ kind, texts, forgetLocale = texts?.forget }): Part[] =>
      kind && forgetLocale ? [[kind.name, removeLocaleFrom(kind.name, inTranslations, forgetLocale)]] : [],
    ),
    ['search', removeBy('unindex_locale')],
    ['titles', removeBy('remove_titles_of')],
  ],
}

/**
 * Processes the next rows.
 * Returns null if the change is finished, waits for all Workers to know of it, or another worker has continued it.
 */
async function step(context: Context, stored: LocaleChange): Promise<LocaleChange | null> {
  const { db } = context
  const parts = partsOf[stored.action]
  const nameOf = (part: number) => parts[part]?.[0] ?? 'end'
  // If a deployment has moved the part, or a Worker that stores no names has continued, the pass starts again.
  const isKnown = stored.partName === nameOf(stored.part)
  const change = isKnown ? stored : { ...stored, part: 0, lastId: firstId, done: 0 }
  const [, run] = parts[change.part] ?? []
  if (run) {
    const progress = await run(context, change)
    const next = progress
      ? { ...change, lastId: progress.last, done: change.done + progress.rows }
      : { ...change, part: change.part + 1, lastId: firstId }
    const { advanced } = await db.write({ advanced: advance({ ...next, partName: nameOf(next.part) }) })
    return advanced[0] ?? null
  }
  const isLast = Date.parse(change.passBeganAt) >= Date.parse(change.settlesAt)
  await db.write({ ended: isLast ? finish(change) : startNextPass(change) })
  return null
}

async function indexNext(context: Context, change: LocaleChange) {
  // The first pass indexed all existing products. Later passes need only rows written since the request.
  const since = change.passBeganAt === change.askedAt ? '-infinity' : change.askedAt
  const ids = await productsToIndex(context.db, { after: change.lastId, since })
  const last = ids.at(-1)
  if (last === undefined) return null
  await indexProducts(context, context.tenant, change.locale, ids)
  return { last, rows: ids.length }
}

/** Removes the locale from the rows of a table that contain it. */
function removeLocaleFrom(table: string, hasLocale: (locale: string) => SQL, forget: ForgetLocale): Run {
  return async (context, { locale, lastId }) => {
    const { rows } = await context.db.read({
      rows: statement({ id: z.string(), holds: z.boolean() })`
        select id, coalesce(${hasLocale(locale)}, false) as holds from ${sql.identifier(table)}
         where tenant_id = current_tenant() and id > ${lastId}::uuid order by id limit ${rowsPerStep}`,
    })
    for (const { id } of rows.filter((row) => row.holds)) await forget(context, id, locale)
    const last = rows.at(-1)
    return last ? { last: last.id, rows: rows.length } : null
  }
}

/** Removes rows by an SQL function, which returns their number, until none are left. */
function removeBy(remove: 'unindex_locale' | 'remove_titles_of'): Run {
  return async ({ db }, { locale, lastId }) => {
    const { removals } = await db.write({
      removals: statement({ rows: z.number() })`
        select ${sql.identifier(remove)}(${locale}, ${wordsPerStep}) as rows`,
    })
    const rows = removals[0]?.rows ?? 0
    return rows > 0 ? { last: lastId, rows: 0 } : null
  }
}

function addTitles(table: string): Run {
  return async ({ db }, { lastId }) => {
    const { added } = await db.write({
      added: statement({ last: z.string().nullable() })`
        select add_titles(${table}, ${lastId}::uuid, ${wordsPerStep}) as last`,
    })
    const last = added[0]?.last
    return last ? { last, rows: 0 } : null
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

const columns = sql`locale, action, version, instant_text(asked_at) as "askedAt", instant_text(settles_at) as "settlesAt",
  instant_text(pass_began_at) as "passBeganAt", part, part_name as "partName", last_id as "lastId", done::float8 as done`

/** Reserves the due changes of a tenant for this worker. */
const reserveDue = statement(
  sql`
  update locale_changes set version = version + 1, due_at = now() + ${lease}
   where tenant_id = current_tenant() and due_at <= now() returning ${columns}`,
  changeRow,
)

function advance({ locale, version, part, partName, lastId, done }: LocaleChange): Statement<LocaleChange> {
  return statement(changeRow)`
    update locale_changes set version = version + 1, due_at = now() + ${lease}, part = ${part}, part_name = ${partName},
           last_id = ${lastId}::uuid, done = ${done}
     where tenant_id = current_tenant() and locale = ${locale} and version = ${version} returning ${columns}`
}

/** Ends the lease of this worker, so that the next one does not wait. */
function release({ locale, version }: LocaleChange): Statement {
  return statement(sql`update locale_changes set due_at = now()
     where tenant_id = current_tenant() and locale = ${locale} and version = ${version}`)
}

/** Starts another pass after `settlesAt`. From then on no Worker writes rows that the pass would miss. */
function startNextPass({ locale, version }: LocaleChange): Statement {
  return statement(sql`
    update locale_changes
       set version = version + 1, due_at = settles_at, pass_began_at = settles_at, part = 0, last_id = ${firstId}::uuid, done = 0
     where tenant_id = current_tenant() and locale = ${locale} and version = ${version}`)
}

function finish({ locale, version }: LocaleChange): Statement {
  return statement(sql`select finish_locale_change(${locale}, ${version})`)
}

/** The actor in the events of these changes. */
const operator: Actor = {
  subject: 'operator',
  client: 'operator',
  scopes: new Set(allScopes),
  permissions: new Set(),
  person: false,
}

function operatorContext(db: Session, tenant: Tenant, callbacks: Callbacks): Context {
  const requestId = crypto.randomUUID()
  return {
    db,
    tenant,
    callbacks,
    pictures: null,
    actor: operator,
    locale: localeOf(tenant.locales, null),
    messages: async () => englishMessages,
    selectedMembers: null,
    now: new Date(),
    requestId,
    trace: traceIn(null, requestId),
    logFields: () => ({ ...noRequest, tenant: tenant.id, requestId, operation: 'locale change' }),
    apiVersion: currentVersion,
    access: Access.of(operator, allScopes),
    requireScopes() {},
    strict: false,
    reportIgnored() {},
    ifMatch: null,
    idempotency: null,
    url: new URL(`https://${tenant.host}/`),
    // The scheduled job does the work that would otherwise follow a response.
    runAfterResponse() {},
  }
}
