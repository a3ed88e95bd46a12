import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import { iri } from '../../core/iri.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { changesBetween } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { stamped } from '../../core/stamped.ts'
import { created, render } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Changed, write } from '../../core/write.ts'
import { type Session, type Statement, statement } from '../../db/client.ts'
import { insertRows, texts, uuids } from '../../db/rows.ts'
import type { CategoryParts } from '../categories/index.ts'
import { productProblems } from '../products/problems.ts'
import { variantProblems } from '../variants/problems.ts'
import { type OfferParts, saleOfferDocument, saleOfferEventDocument } from './document.ts'
import { saleOfferProblems } from './problems.ts'
import { archivedMeanwhile, countStatements, demandSellable, offerRow } from './rows.ts'
import { maximumSaleOffers, saleOffer as shape } from './schema.ts'
import { categoriesByProduct, productCategoryStatements, type Target, targetStatement } from './store.ts'
import { saleOffers } from './table.ts'
import { settledTerms } from './terms.ts'

type Body = Readonly<Record<string, Json>>
type VariantReference = { readonly productId: string; readonly id: string }
type Draft = { readonly parts: OfferParts; readonly values: Body }

const variantOf = (body: Body) => body.variant as VariantReference

/** Creates one offer or up to 250, all or nothing. */
export async function createSaleOffers(context: Context, { bodies, query, bulk }: Input): Promise<Answer> {
  const ids = bodies.map(() => uuidv7())
  const expand = query.expand as number
  const { result, stamps, replayed } = await write<Json>(context, 'createSaleOffers', async (read) => {
    const drafts = draftsOf(context, await readTargets(context, read, bodies, expand), { ids, bodies, bulk })
    const counted = drafts
      .filter(({ parts }) => parts.status !== 'ARCHIVED')
      .map(({ parts }) => parts.variantId)
    const moves = new Map([...Map.groupBy(counted, (id) => id)].map(([id, { length }]) => [id, length]))
    const variantIds = [...new Set(drafts.map(({ parts }) => parts.variantId))]
    return {
      guard: variantIds.map((id) => ({ kind: 'variants', id, version: null })),
      statements: [
        demandSellable(variantIds),
        ...insertRows(
          saleOffers,
          drafts.map(({ parts, values }) => offerRow(parts, values)),
        ),
        ...countStatements(moves),
      ],
      changed: drafts.map(creationOf),
      totals: { sale_offers: counted.length },
      result: drafts.map(({ parts }) => parts) as unknown as Json,
      // What was taken, filled or archived between the two trips is found, and named, by reading again.
      refusals: {
        sale_offers_external_id: 'again',
        variants_sale_offer_limit: 'again',
        [archivedMeanwhile]: 'again',
      },
    }
  })
  const now = instantOf(context.now)
  const made = (result as unknown as OfferParts[]).map((each) => stamped(each, stamps))
  const documents = made.map((each) => saleOfferDocument(each, context.locale, now))
  if (bulk) return { kind: 'collection', members: documents, total: documents.length, replayed }
  const [first] = made
  return {
    kind: 'item',
    document: documents[0]!,
    version: first!.version,
    location: iri.saleOffer(first!.id),
    replayed,
  }
}

function creationOf({ parts, values }: Draft): Changed {
  return {
    kind: 'sale_offers',
    id: parts.id,
    version: 1,
    action: 'created',
    topic: 'sale_offer/created',
    document: saleOfferEventDocument(parts),
    changes: changesBetween({}, values),
  }
}

type Found = {
  readonly targets: ReadonlyMap<string, Target>
  readonly taken: ReadonlySet<string>
  readonly categoriesOf: (productId: string) => CategoryParts[]
}

async function readTargets(
  context: Context,
  read: Session['read'],
  bodies: readonly Body[],
  expand: number,
): Promise<Found> {
  const options = { locale: context.locale, expand, translations: true }
  const variantIds = uuids([...new Set(bodies.map((body) => variantOf(body).id))])
  const [targets, taken, ...rest] = (await read(
    targetStatement(sql`select unnest(${variantIds})`),
    takenStatement(bodies.flatMap(({ externalId }) => (typeof externalId === 'string' ? [externalId] : []))),
    ...productCategoryStatements(
      sql`select product_id from variants where tenant_id = current_tenant() and id = any(${variantIds})`,
      options,
    ),
  )) as [Target[], { externalId: string }[], ...unknown[][]]
  return {
    targets: new Map(targets.map((each) => [each.id, each])),
    taken: new Set(taken.map((each) => each.externalId)),
    categoriesOf: categoriesByProduct(rest, options),
  }
}

function takenStatement(externalIds: readonly string[]): Statement<{ externalId: string }> {
  return statement(sql`select external_id as "externalId" from sale_offers
    where tenant_id = current_tenant() and status <> 'ARCHIVED' and external_id = any(${texts(externalIds)})`)
}

type Wanted = { readonly ids: readonly string[]; readonly bodies: readonly Body[]; readonly bulk: boolean }

/** @throws Problem 422 with every violation of every body; 409 when all are valid and something is archived or taken */
function draftsOf(
  context: Context,
  { targets, taken, categoriesOf }: Found,
  { ids, bodies, bulk }: Wanted,
): Draft[] {
  const violations: Violation[] = []
  const conflicts: Violation[] = []
  const externalIds = new Set(taken)
  const offers = new Map<string, number>()
  const drafts = bodies.map((body, index) => {
    const at = (name: string) => (bulk ? `[${index}].${name}` : name)
    const { id: variantId, productId } = variantOf(body)
    const references = { variant: iri.variant(productId, variantId), product: iri.product(productId) }
    const terms = settledTerms(created(shape, { ...body, ...references }, context.locale).values, at)
    violations.push(...terms.violations)
    const target = targets.get(variantId)
    if (target?.productId !== productId) {
      violations.push(validationProblems.unknown_reference.at(at('variant'), { iri: references.variant }))
    } else {
      conflicts.push(...unsellable(target, at('variant')))
    }
    if (terms.values.status !== 'ARCHIVED') {
      const count = (offers.get(variantId) ?? target?.offers ?? 0) + 1
      offers.set(variantId, count)
      if (count > maximumSaleOffers) {
        violations.push(saleOfferProblems.limit.at(at('variant'), { maximum: maximumSaleOffers }))
      }
      const { externalId } = terms.values
      if (typeof externalId === 'string') {
        if (externalIds.has(externalId)) {
          conflicts.push(saleOfferProblems.external_id_taken.at(at('externalId'), { externalId }))
        }
        externalIds.add(externalId)
      }
    }
    return draftOf(context, { id: ids[index]!, productId, variantId }, terms.values, categoriesOf(productId))
  })
  refuse(violations)
  // One problem is told at a time: conflicts of several kinds have no status in common that says what is wrong.
  refuse(conflicts.filter((each) => each.problem === conflicts[0]?.problem))
  return drafts
}

type Identity = { readonly id: string; readonly productId: string; readonly variantId: string }

function draftOf(
  context: Context,
  identity: Identity,
  values: Body,
  categories: readonly CategoryParts[],
): Draft {
  const { id } = identity
  const state = { values, translations: {} }
  const parts = {
    ...identity,
    document: render(shape, { iri: iri.saleOffer(id), id }, state, context.tenant.locales),
    status: values.status as string,
    validFrom: values.validFrom as string | null,
    validUntil: values.validUntil as string | null,
    version: 0,
    createdAt: '',
    updatedAt: '',
    categories,
  }
  return { parts, values }
}

/** Why a variant takes no further offers, at a path; nothing when it does. */
export function unsellable(target: Target, path: string): Violation[] {
  if (target.productArchived) return [productProblems.archived.at(path)]
  return target.status === 'ACTIVE' ? [] : [variantProblems.archived.at(path)]
}
