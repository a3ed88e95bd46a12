import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input, Operation } from '../../core/operation.ts'
import { changesBetween } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { stamped } from '../../core/stamped.ts'
import { created, render } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Changed, type Plan, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import type { CategoryParts } from '../categories/index.ts'
import { levelsOf } from '../categories/index.ts'
import { productIri } from '../products/iri.ts'
import { variantIri } from '../products/variants/iri.ts'
import { type OfferParts, offerDocument, offerEventDocument } from './document.ts'
import { externalIdOf, limitOf } from './names.ts'
import type { Offer, Offering, Values } from './offering.ts'
import { maximumOffers } from './schema.ts'
import {
  categoriesByProduct,
  productCategoryStatements,
  type Target,
  takenStatement,
  targetStatement,
} from './store.ts'
import { archivedMeanwhile, countStatements, demandOfferable, unofferable } from './target.ts'

type VariantReference = { readonly id: string; readonly ownerId: string }

const variantOf = (body: Values) => body.variant as VariantReference

/** Creates one offer or up to 250, all or nothing. */
export function createOffers(offering: Offering): Operation['run'] {
  const { shape } = offering
  return async function createOffers(context: Context, { bodies, query, bulk }: Input): Promise<Answer> {
    const ids = bodies.map(() => uuidv7())
    const expand = levelsOf(query.expand)
    const { result, stamps, replayed } = await write<Json>(context, `create${shape.type}s`, async (read) => {
      const found = await readTargets(offering, context, read, { bodies, expand })
      return planOf(offering, offersOf(offering, context, found, { ids, bodies, bulk }))
    })
    const now = instantOf(context.now)
    const made = (result as unknown as OfferParts[]).map((each) => stamped(each, stamps))
    const documents = made.map((each) => offerDocument(each, context.locale, now))
    if (bulk) return { kind: 'collection', members: documents, total: documents.length, replayed }
    const [first] = made
    return {
      kind: 'item',
      document: documents[0]!,
      version: first!.version,
      location: `${shape.collection}/${first!.id}`,
      replayed,
    }
  }
}

function planOf(offering: Offering, offers: readonly Offer[]): Plan<Json> {
  const counted = offers
    .filter(({ parts }) => parts.status !== 'ARCHIVED')
    .map(({ parts }) => parts.variantId)
  const moves = new Map([...Map.groupBy(counted, (id) => id)].map(([id, { length }]) => [id, length]))
  const variantIds = [...new Set(offers.map(({ parts }) => parts.variantId))]
  return {
    guard: variantIds.map((id) => ({ kind: 'variants', id, version: null })),
    statements: [
      demandOfferable(variantIds),
      ...offering.insert(offers),
      ...countStatements(offering, moves),
    ],
    changed: offers.map((each) => creationOf(offering, each)),
    totals: { [offering.table]: counted.length },
    result: offers.map(({ parts }) => parts) as unknown as Json,
    // What was taken, filled or archived between the two trips is found, and named, by reading again.
    refusals: {
      [externalIdOf(offering)]: 'again',
      [limitOf(offering)]: 'again',
      [archivedMeanwhile]: 'again',
    },
  }
}

function creationOf({ table, subject }: Offering, { parts, values }: Offer): Changed {
  return {
    kind: table,
    id: parts.id,
    version: 1,
    action: 'created',
    topic: `${subject}/created`,
    document: offerEventDocument(parts),
    changes: changesBetween({}, values),
  }
}

type Found = {
  readonly targets: ReadonlyMap<string, Target>
  readonly taken: ReadonlySet<string>
  readonly categoriesOf: (productId: string) => CategoryParts[]
}

async function readTargets(
  offering: Offering,
  context: Context,
  read: Session['read'],
  { bodies, expand }: { bodies: readonly Values[]; expand: number },
): Promise<Found> {
  const options = { locale: context.locale, expand, translations: true }
  const variantIds = uuids([...new Set(bodies.map((body) => variantOf(body).id))])
  const externalIds = bodies.flatMap(({ externalId }) => (typeof externalId === 'string' ? [externalId] : []))
  const [targets, taken, ...rest] = (await read(
    targetStatement(offering, sql`select unnest(${variantIds})`),
    takenStatement(offering, externalIds),
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

type Wanted = { readonly ids: readonly string[]; readonly bodies: readonly Values[]; readonly bulk: boolean }

/** @throws Problem 422 with every violation of every body; 409 when all are valid and something is archived or taken */
function offersOf(
  offering: Offering,
  context: Context,
  { targets, taken, categoriesOf }: Found,
  { ids, bodies, bulk }: Wanted,
): Offer[] {
  const { shape, problems } = offering
  const violations: Violation[] = []
  const conflicts: Violation[] = []
  const externalIds = new Set(taken)
  const counts = new Map<string, number>()
  const offers = bodies.map((body, index) => {
    const at = (name: string) => (bulk ? `[${index}].${name}` : name)
    const { id: variantId, ownerId: productId } = variantOf(body)
    const references = { variant: variantIri(productId, variantId), product: productIri(productId) }
    const terms = offering.settled(created(shape, { ...body, ...references }, context.locale).values, at)
    violations.push(...terms.violations)
    const target = targets.get(variantId)
    if (target?.productId !== productId) {
      violations.push(validationProblems.unknown_reference.at(at('variant'), { iri: references.variant }))
    } else {
      conflicts.push(...unofferable(target, at('variant')))
    }
    if (terms.values.status !== 'ARCHIVED') {
      const count = (counts.get(variantId) ?? target?.offers ?? 0) + 1
      counts.set(variantId, count)
      if (count > maximumOffers) violations.push(problems.limit.at(at('variant'), { maximum: maximumOffers }))
      const { externalId } = terms.values
      if (typeof externalId === 'string') {
        if (externalIds.has(externalId)) {
          conflicts.push(problems.external_id_taken.at(at('externalId'), { externalId }))
        }
        externalIds.add(externalId)
      }
    }
    const identity = { id: ids[index]!, productId, variantId }
    return {
      parts: partsOf(offering, context, {
        identity,
        values: terms.values,
        categories: categoriesOf(productId),
      }),
      values: terms.values,
    }
  })
  refuse(violations)
  // One problem is told at a time: conflicts of several kinds have no status in common that says what is wrong.
  refuse(conflicts.filter((each) => each.problem === conflicts[0]?.problem))
  return offers
}

type Made = {
  readonly identity: { readonly id: string; readonly productId: string; readonly variantId: string }
  readonly values: Values
  readonly categories: readonly CategoryParts[]
}

function partsOf(
  { shape }: Offering,
  { tenant }: Context,
  { identity, values, categories }: Made,
): OfferParts {
  const { id } = identity
  const named = { iri: `${shape.collection}/${id}`, id }
  return {
    ...identity,
    document: render(shape, named, { values, translations: {} }, tenant.locales),
    status: values.status as string,
    validFrom: values.validFrom as string | null,
    validUntil: values.validUntil as string | null,
    version: 0,
    createdAt: '',
    updatedAt: '',
    categories,
  }
}
