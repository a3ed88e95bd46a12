import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, uncommitted, updateOf } from '../../core/plan.ts'
import { created, merged, render, type State, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { deleteRow, run, save } from '../../db/write-steps.ts'
import { rebuildPricesNow } from '../prices/price-rebuild.ts'
import { namesInUse, takenNamesStatement } from '../shared/names.ts'
import { writtenItem } from '../shared/ordinary-operations.ts'
import { marketProblems } from './problems.ts'
import { type MarketParts, marketDocument, marketKind, marketStatement } from './read.ts'
import { marketIri, maximumMarkets, market as shape } from './schema.ts'
import { markets } from './table.ts'

const nameProblems = { key: marketProblems.key_taken }

const limit = 'market_limit'

/** Waits until no write of a market, or of prices by the contexts of markets, is under way. */
const lockMarkets = run(
  sql`select pg_advisory_xact_lock(hashtextextended('markets:' || current_tenant(), 0))`,
)

/** Rejects a market beyond the maximum. Creations of a tenant follow each other, so that racing ones cannot exceed it. */
const requireFreePlace = [
  lockMarkets,
  run(sql`select reject('PC409', ${limit}) where ${maximumMarkets}::int <=
    (select count(*) from markets where tenant_id = current_tenant())`),
]

export async function createMarket(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const outcome = await write<MarketParts>(context, 'createMarket', async (read) => {
    const { taken } = await read({ taken: takenNamesStatement(markets, { key: [body.key] }) })
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    const state = created(shape, body, context.locale)
    const row = rowOf(context, id, state)
    const parts = { id, document: row.document, pricesCompleteAt: null, ...uncommitted }
    return {
      guard: [],
      beforeClock: requireFreePlace,
      underClock: save(markets, [row]),
      changed: [
        creationOf(marketKind, id, {
          document: JSON.stringify(parts),
          changes: differencesBetween({}, state.values),
        }),
      ],
      totals: { markets: 1 },
      result: parts,
      constraintProblems: {
        markets_key: 'again',
        [limit]: marketProblems.limit({ maximum: maximumMarkets }),
      },
    }
  })
  rebuildPricesNow(context)
  const location = marketIri(outcome.result.id)
  return { ...writtenItem(outcome, (parts) => marketDocument(parts, context.locale)), location }
}

/** The row of a market, without the columns that the write sets. */
function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const { key, channel, country, currency } = state.values
  const document = render(shape, { iri: marketIri(id), id }, state, context.tenant.locales)
  return { id, key, channel, country, currency, document }
}

/** The properties that decide which prices a market has. */
const contextNames = ['channel', 'country', 'currency'] as const

/** Merges a patch into a market. */
export async function patchMarket(
  context: Context,
  { params: { id }, bodies: [body = {}] }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const outcome = await write<MarketParts>(context, 'patchMarket', async (read) => {
    const { found, taken } = await read({
      found: marketStatement([id]),
      taken: takenNamesStatement(markets, { key: [body.key] }, { except: id }),
    })
    const [current] = found
    if (!current) throw marketProblems.not_found({ id })
    requireIfMatch(context, current.version)
    const before = stateOf(shape, current)
    const { state, violations } = merged(shape, before, body, context.locale)
    throwViolations([...violations, ...namesInUse(taken).reserveAll(body, nameProblems)])
    if (sameJson(before.values, state.values)) return { unchanged: current }
    const isSameContext = contextNames.every((name) => before.values[name] === state.values[name])
    const pricesCompleteAt = isSameContext ? (current.pricesCompleteAt ?? null) : null
    const row = { ...rowOf(context, id, state), pricesCompleteAt }
    const after = { ...current, document: row.document, pricesCompleteAt }
    return {
      guard: [{ kind: 'markets', id, version: current.version }],
      ...(isSameContext ? {} : { beforeClock: [lockMarkets] }),
      underClock: save(markets, [row]),
      changed: [
        updateOf(marketKind, current, {
          document: JSON.stringify(after),
          changes: differencesBetween(before.values, state.values),
        }),
      ],
      totals: {},
      result: after,
      constraintProblems: {
        markets_key: 'again',
      },
    }
  })
  rebuildPricesNow(context)
  return writtenItem(outcome, (parts) => marketDocument(parts, context.locale))
}

export async function deleteMarket(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteMarket', async (read) => {
    const {
      found: [current],
    } = await read({ found: marketStatement([id]) })
    if (!current) throw marketProblems.not_found({ id })
    requireIfMatch(context, current.version)
    return {
      guard: [{ kind: 'markets', id, version: current.version }],
      beforeClock: [lockMarkets, deleteRow(markets, id), run(sql`select expect_prices(false)`)],
      changed: [deletionOf(marketKind, current, JSON.stringify(current))],
      totals: { markets: -1 },
      result: null,
    }
  })
  rebuildPricesNow(context)
  return { kind: 'empty', replayed }
}
