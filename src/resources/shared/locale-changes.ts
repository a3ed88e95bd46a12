import { type SQL, sql } from 'drizzle-orm'
import { Access } from '../../core/access.ts'
import type { Actor, Tenant } from '../../core/context.ts'
import { localeOf } from '../../core/locale.ts'
import { noRequest } from '../../core/log.ts'
import type { Callbacks, Context, ForgetLocale } from '../../core/operation.ts'
import { traceIn } from '../../core/trace.ts'
import type { Database, Session } from '../../db/client.ts'
import { type Statement, statement } from '../../db/query.ts'
import { tenantsChangingLocales } from '../../db/tenants.ts'
import { currentVersion } from '../../versions/index.ts'
import { catalogue } from '../catalogue.ts'
import { allScopes } from '../index.ts'
import { forgetTexts } from '../products/cache.ts'
import { indexProducts, productsToIndex } from '../products/reindex.ts'
import { forgetLocaleOfSubscription } from '../webhooks/subscriptions/write.ts'

/**
 * Locales that come and go while a tenant is served. Products are indexed for one that comes, and texts are taken from one that
 * goes, in steps that may be lost, raced or run twice: a row of `locale_changes` notes how far the work is, and the minute's
 * round resumes it. A pass over all rows that began before every Worker knew of the change is followed by another.
 */

/** Milliseconds after which a minute's round leaves the rest to the next one. */
const roundMs = 50_000
const tenantsPerRound = 100
/** Rows that are looked at in one step, and rows of the index that are deleted in one. */
const rowsPerStep = 200
const wordsPerStep = 1000
/** For how long a step is reserved to the worker that does it. */
const lease = sql`interval '30 seconds'`

/** How far a change is. */
export type LocaleChange = {
  readonly locale: string
  readonly action: 'index' | 'remove'
  readonly version: number
  /** UTC. A pass that began later than `settlesAt` is the last. */
  readonly askedAt: string
  readonly settlesAt: string
  readonly passBeganAt: string
  /** The part of the work that it has come to, and the last row of it that is done. */
  readonly part: number
  readonly lastId: string
  /** Rows that this pass is done with. */
  readonly done: number
}

/** Resumes the unfinished changes of every tenant; gives the number of those that it worked on. @throws StorageUnavailable */
export async function continueLocaleChanges(database: Database, callbacks: Callbacks): Promise<number> {
  const until = Date.now() + roundMs
  const { tenants } = await database.open(null).read({ tenants: tenantsChangingLocales(tenantsPerRound) })
  let count = 0
  for (const { id } of tenants) {
    if (Date.now() >= until) break
    // One tenant's trouble is not the others'; what is left undone is found again.
    count += await changeLocales(database.open(id), callbacks, until).catch((error) => {
      console.error(`locales of tenant ${id}: ${error instanceof Error ? error.message : 'unknown error'}`)
      return 0
    })
  }
  return count
}

/**
 * Works on the changes of a session's tenant that are due, until a moment (milliseconds since the epoch); `onStep` is told after each
 * step how far one is. Gives the number of those worked on. @throws StorageUnavailable
 */
export async function changeLocales(
  db: Session,
  callbacks: Callbacks,
  until: number,
  onStep: (change: LocaleChange) => void = () => {},
): Promise<number> {
  const { changes } = await db.write({ changes: reserveDue })
  if (changes.length === 0) return 0
  const { settings } = await db.read({
    settings: statement<{ tenant: Tenant | null }>(sql`select own_settings() as tenant`),
  })
  const tenant = settings[0]?.tenant
  if (!tenant) return 0
  const context = contextOf(db, tenant, callbacks)
  for (const due of changes) {
    for (let change: LocaleChange | null = due; change && Date.now() < until; ) {
      change = await step(context, change)
      if (change) onStep(change)
    }
  }
  return changes.length
}

/** A part of a pass: it does some rows after the last one, and gives the last of these, or null where there were none. */
type Part = (context: Context, change: LocaleChange) => Promise<{ last: string; rows: number } | null>

const inTranslations = (locale: string) => sql`translations -> ${locale}::text is not null`

const partsOf: Readonly<Record<LocaleChange['action'], readonly Part[]>> = {
  index: [indexNext],
  remove: [
    removeLocaleFrom(
      'webhook_subscriptions',
      (locale) => sql`locale = ${locale}`,
      forgetLocaleOfSubscription,
    ),
    ...catalogue.flatMap(({ kind, texts, forgetLocale = texts?.forget }) =>
      kind && forgetLocale ? [removeLocaleFrom(kind.name, inTranslations, forgetLocale)] : [],
    ),
    removeWords,
    ({ db }, { locale, lastId }) => forgetTexts(db, locale, lastId),
  ],
}

/** Does the next rows; null where the change is finished, waits until every Worker knows of it, or is somebody else's by now. */
async function step(context: Context, change: LocaleChange): Promise<LocaleChange | null> {
  const { db } = context
  const parts = partsOf[change.action]
  const part = parts[change.part]
  if (part) {
    const progress = await part(context, change)
    const to = progress
      ? { part: change.part, lastId: progress.last, done: change.done + progress.rows }
      : { part: change.part + 1, lastId: firstId, done: change.done }
    const { advanced } = await db.write({ advanced: advance(change, to) })
    return advanced[0] ?? null
  }
  const isLast = Date.parse(change.passBeganAt) >= Date.parse(change.settlesAt)
  await db.write({ ended: isLast ? finish(change) : passAgain(change) })
  return null
}

async function indexNext(context: Context, change: LocaleChange) {
  // The first pass has indexed what was there when it began; what is new is written in the locale, or was written since.
  const since = change.passBeganAt === change.askedAt ? '-infinity' : change.askedAt
  const ids = await productsToIndex(context.db, { after: change.lastId, since })
  const last = ids.at(-1)
  if (last === undefined) return null
  await indexProducts(context, context.tenant, change.locale, ids)
  return { last, rows: ids.length }
}

/** Takes the locale from the rows of a table that have it. */
function removeLocaleFrom(table: string, hasLocale: (locale: string) => SQL, forget: ForgetLocale): Part {
  return async (context, { locale, lastId }) => {
    const { rows } = await context.db.read({
      rows: statement<{ id: string; holds: boolean }>(sql`
        select id, coalesce(${hasLocale(locale)}, false) as holds from ${sql.identifier(table)}
         where tenant_id = current_tenant() and id > ${lastId}::uuid order by id limit ${rowsPerStep}`),
    })
    for (const { id } of rows.filter((row) => row.holds)) await forget(context, id, locale)
    const last = rows.at(-1)
    return last ? { last: last.id, rows: rows.length } : null
  }
}

async function removeWords({ db }: Context, { locale, lastId }: LocaleChange) {
  const { removals } = await db.write({
    removals: statement<{ rows: number }>(sql`select unindex_locale(${locale}, ${wordsPerStep}) as rows`),
  })
  const rows = removals[0]?.rows ?? 0
  return rows > 0 ? { last: lastId, rows: 0 } : null
}

const firstId = '00000000-0000-0000-0000-000000000000'

const columns = sql`locale, action, version, instant_text(asked_at) as "askedAt", instant_text(settles_at) as "settlesAt",
  instant_text(pass_began_at) as "passBeganAt", part, last_id as "lastId", done::float8 as done`

/** Takes the due changes of a tenant into work. */
const reserveDue: Statement<LocaleChange> = statement(sql`
  update locale_changes set version = version + 1, due_at = now() + ${lease}
   where tenant_id = current_tenant() and due_at <= now() returning ${columns}`)

function advance(
  { locale, version }: LocaleChange,
  to: Pick<LocaleChange, 'part' | 'lastId' | 'done'>,
): Statement<LocaleChange> {
  return statement(sql`
    update locale_changes set version = version + 1, due_at = now() + ${lease}, part = ${to.part}, last_id = ${to.lastId}::uuid, done = ${to.done}
     where tenant_id = current_tenant() and locale = ${locale} and version = ${version} returning ${columns}`)
}

/** The same once more, from when on nobody can write what this pass has left out. */
function passAgain({ locale, version }: LocaleChange): Statement {
  return statement(sql`
    update locale_changes
       set version = version + 1, due_at = settles_at, pass_began_at = settles_at, part = 0, last_id = ${firstId}::uuid, done = 0
     where tenant_id = current_tenant() and locale = ${locale} and version = ${version}`)
}

function finish({ locale, version }: LocaleChange): Statement {
  return statement(sql`select finish_locale_change(${locale}, ${version})`)
}

/** Whose changes these are in the events that they leave. */
const operator: Actor = {
  subject: 'operator',
  client: 'operator',
  scopes: new Set(allScopes),
  permissions: new Set(),
  person: false,
}

function contextOf(db: Session, tenant: Tenant, callbacks: Callbacks): Context {
  const requestId = crypto.randomUUID()
  return {
    db,
    tenant,
    callbacks,
    pictures: null,
    actor: operator,
    locale: localeOf(tenant.locales, null),
    outline: null,
    now: new Date(),
    requestId,
    trace: traceIn(null, requestId),
    about: () => ({ ...noRequest, tenant: tenant.id, requestId, operation: 'locale change' }),
    apiVersion: currentVersion,
    sight: Access.of(operator, allScopes),
    demand() {},
    strict: false,
    ignore() {},
    ifMatch: null,
    idempotency: null,
    url: new URL(`https://${tenant.host}/`),
    origins: [],
    // What would go on after an answer is found by the minute's rounds.
    later() {},
  }
}
