/** The database itself: migrated, on time, with secrets that the Worker can read, and without work that waits for long. */
import type pg from 'pg'
import { secretKeys } from '../../env.ts'
import { agesAt } from '../../resources/housekeeping.ts'
import { keyIdOf } from '../../resources/webhooks/subscriptions/secrets.ts'
import { type Check, fail, type Problem, warn } from '../cli/checks.ts'
import { reasonOf } from '../cli/command.ts'
import { amount, duration } from '../cli/output.ts'
import { changedCollations, pendingMigrations } from '../migrate.ts'
import { heldByKeys } from '../secret-keys.ts'
import { orOk } from './configuration.ts'

export type DatabaseContext = {
  /** Connected as the owner, past row security. */
  readonly owner: pg.ClientBase
  /** The value of WEBHOOK_SECRET_KEY. */
  readonly secretKey: string | undefined
  /** The clock of this machine. */
  readonly now?: () => number
}

type DatabaseCheck = Check<DatabaseContext>

/** Whether every migration of this tree was applied, unchanged, and the functions of this tree last. */
export const migrations: DatabaseCheck = {
  name: 'migrations',
  advice: 'npm run migrate -- --database-url URL, before the Worker is deployed',
  async run({ owner }) {
    try {
      const pending = await pendingMigrations(owner)
      if (pending.length === 0) return 'all that are here, and the functions'
      return [fail(`${pending.length} are to be applied: ${pending.join(', ')}`)]
    } catch (error) {
      return [fail(reasonOf(error), 'Take the commit that the database was migrated with, or a newer one.')]
    }
  },
}

/** Compares the collations of the server with those that the indexes of titles were built with. */
export const collations: DatabaseCheck = {
  name: 'collations',
  advice: 'npm run migrate -- --database-url URL builds their indexes again while the service runs.',
  async run({ owner }) {
    const languages = await changedCollations(owner)
    if (languages.length === 0) return 'those that lists by title were indexed with'
    return [fail(`other versions for ${languages.join(', ')}, so lists by title may skip rows`)]
  },
}

/** Seconds by which the clocks may differ without a warning. Tokens are accepted with a difference of 5 s. */
const clocks = { warn: 1, fail: 5 }

/** Compares the clocks of the database and of this machine, with an allowance for the round trip. */
const clock: DatabaseCheck = {
  name: 'clock',
  advice: 'See which of both is wrong: timedatectl here, select now() there.',
  async run({ owner, now = Date.now }) {
    const before = now()
    const { rows } = await owner.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    const after = now()
    const difference = ((rows[0]?.ms ?? Number.NaN) - (before + after) / 2) / 1000
    const certain = Math.max(0, Math.abs(difference) - (after - before) / 2000)
    const seen = `the database's is ${Math.abs(difference).toFixed(2)} s ${difference < 0 ? 'behind' : 'ahead of'} this machine's`
    if (certain >= clocks.fail) return [fail(seen)]
    return certain >= clocks.warn ? [warn(seen)] : seen
  },
}

/** Whether the keys decrypt every stored secret of webhooks. */
const secrets: DatabaseCheck = {
  name: 'secret key',
  advice: 'Set WEBHOOK_SECRET_KEY to the value that the Worker has, and run again.',
  async run({ owner, secretKey = '' }) {
    const held = await heldByKeys(owner)
    const stored = held.reduce((sum, { secrets }) => sum + secrets, 0)
    if (secretKey.trim() === '') {
      const ids = held.map(({ keyId }) => keyId).join(', ')
      const seen = `WEBHOOK_SECRET_KEY is not given here; ${amount(stored, 'secret')}${ids && ` of ${ids}`}`
      return stored === 0 ? seen : [warn(seen)]
    }
    const keys = secretKeys.safeParse(secretKey.trim())
    if (!keys.success) {
      const next = 'openssl rand -base64 32 makes one; several are separated by commas, the newest first.'
      const seen = 'WEBHOOK_SECRET_KEY is no keys of 32 bytes as base64: the Worker would not start'
      return [fail(seen, next)]
    }
    const given = await Promise.all(keys.data.map(keyIdOf))
    const problems = held.flatMap(({ keyId, secrets }): Problem[] => {
      if (given.includes(keyId)) return []
      const seen = `${amount(secrets, 'secret')} of the key ${keyId}, which is not among ${given.join(', ')}`
      return [fail(seen, `Give the Worker the key ${keyId} too; if it is lost, these need rotate_secret.`)]
    })
    const unused = given.slice(1).filter((id) => !held.some(({ keyId }) => keyId === id))
    const used = given.filter((id) => !unused.includes(id)).join(', ')
    const removable = unused.map((id) => `; ${id} has none and can be removed`).join('')
    return orOk(problems, `${amount(stored, 'secret')} of ${used}${removable}`)
  },
}

type WaitingWork = {
  /** A kind of `waiting_work()` in migrations/functions/70_background.sql, which /metrics reports as well. */
  readonly kind: string
  /** Seconds from which it is a warning, and from which it is a failure. */
  readonly warnAfter: number
  readonly failAfter: number
  readonly what: string
  readonly none: string
  readonly advice: string
}

/** A check of how long work of active tenants has waited. It names the worst. */
function waitCheck(
  name: string,
  { kind, warnAfter, failAfter, what, none, advice }: WaitingWork,
): DatabaseCheck {
  return {
    name,
    advice,
    async run({ owner }) {
      const { rows } = await owner.query<{ host: string; seconds: number }>(
        `select t.host, w.seconds from waiting_work(0, 1000, $2) w join tenants t on t.id = w.tenant
          where w.kind = $1 order by w.seconds desc, t.host`,
        [kind, agesAt(new Date())],
      )
      const [worst] = rows
      if (!worst) return none
      if (worst.seconds < warnAfter) return `${none}, ${worst.host} for ${duration(worst.seconds)}`
      const late = rows.filter(({ seconds }) => seconds >= warnAfter).length
      const others = late > 1 ? `, and ${amount(late - 1, 'other tenant')}` : ''
      const seen = `${what} for ${duration(worst.seconds)}: ${worst.host}${others}`
      return [worst.seconds >= failAfter ? fail(seen) : warn(seen)]
    },
  }
}

/** The checks of the clock, of secrets and of waiting work. While queue and cron run, an event waits for seconds, and for a minute if a message was lost. */
export const databaseChecks: readonly DatabaseCheck[] = [
  clock,
  secrets,
  waitCheck('waiting events', {
    kind: 'event',
    warnAfter: 120,
    failAfter: 600,
    what: 'the oldest event has waited for its deliveries',
    none: 'none waits for long',
    advice: 'Find cron_failed and consumer_failed in the log. Is the cron there, and are the queues made?',
  }),
  waitCheck('boundaries', {
    kind: 'boundary',
    warnAfter: 120,
    failAfter: 900,
    what: 'an offer began or ended without an event',
    none: 'none that began or ended is untold for long',
    advice: 'Find cron_failed with the operation boundaries in the log. Is the cron there?',
  }),
  waitCheck('waiting deliveries', {
    kind: 'delivery',
    warnAfter: 600,
    failAfter: 7200,
    what: 'the most overdue delivery was due',
    none: 'none is overdue for long',
    advice: 'Find cron_failed and consumer_failed in the log. Does the queue have its consumer?',
  }),
  waitCheck('locales', {
    kind: 'locale_change',
    warnAfter: 300,
    failAfter: 3600,
    what: 'a change of a locale has been due',
    none: 'no change of a locale is stuck',
    advice: 'npm run tenant -- show TENANT says how far it is; find locale_change_failed in the log.',
  }),
  waitCheck('collections', {
    kind: 'rebuild',
    warnAfter: 300,
    failAfter: 3600,
    what: 'products were to be sorted by changed rules',
    none: 'none whose products are still to be sorted hangs',
    advice: 'Find rebuild_failed in the log; the cron continues it every minute.',
  }),
  waitCheck('bulk operations', {
    kind: 'bulk_operation',
    warnAfter: 300,
    failAfter: 3600,
    what: 'a bulk operation has been due',
    none: 'no bulk operation is stuck',
    advice: 'Find bulk_operation_failed in the log; the cron continues it every minute.',
  }),
  waitCheck('expired rows', {
    kind: 'expired_row',
    warnAfter: 2 * 3600,
    failAfter: 86_400,
    what: 'rows were to be deleted',
    none: 'none waits for long to be deleted',
    advice: 'Find housekeeping_failed in the log; the cron repeats it every hour.',
  }),
]
