import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { refuse } from '../../core/violations.ts'
import { type Plan, type Written, write } from '../../core/write.ts'
import type { Session, Statement } from '../../db/client.ts'
import { embeddedReading, levelsOf } from '../categories/index.ts'
import { referencesReading } from '../content/custom-fields/index.ts'
import { claimsReading, countedOffers, tooManyOffers } from '../prices/sale/index.ts'
import {
  demandChoice,
  entryGuards,
  existingCollections,
  resortStatement,
  rulesGuard,
  rulesReading,
  type Sorting,
  sortingStatements,
  sortingTotals,
  type TenantRules,
  undecided,
  writtenCollections,
} from './collections/index.ts'
import { askedOfVariants } from './continuation.ts'
import { type Asked, newProductsOf, writtenOffers } from './decide-creation.ts'
import { type ProductParts, productDocument } from './document.ts'
import { insertStatements } from './insert.ts'
import { productIri } from './iri.ts'
import { refusals } from './names.ts'
import type { NewProduct } from './new-product.ts'
import { requestedNames, takenStatement } from './new-product-names.ts'
import type { writeParameters } from './parameters.ts'
import { embeddedOnItem, onItem } from './room.ts'
import type { product as shape } from './schema.ts'
import { stampedProduct } from './stamped.ts'

/** Creates one product or up to fifty, each with its options, values and variants, all or nothing. */
export async function createProducts(
  context: Context,
  { bodies, bulk, query }: Input<{ query: typeof writeParameters; body: typeof shape }>,
): Promise<Answer> {
  const asked = bodies.map((body, index) => ({
    id: uuidv7(),
    body,
    wanted: requestedNames(body),
    at: (path: string) => (bulk ? `[${index}].${path}` : path),
  }))
  const expand = levelsOf(query.expand)
  refuse(tooManyOffers(asked.flatMap(writtenOffers)))
  let attempt = 0
  const written = await write<ProductParts[]>(context, 'createProducts', async (read) => {
    attempt += 1
    const { existing, ...found } = await readCreation(context, read, asked, expand)
    for (const { body } of asked) demandChoice(context, writtenCollections(body), [], found.rules)
    const collections = new Set(existing.map((each) => each.id))
    const additions = newProductsOf(context, asked, { ...found, collections }, attempt > 2)
    return planOf(context, additions, found.rules)
  })
  return answer(context, written, bulk, askedOfVariants(context.url, query))
}

function readCreation(
  { locale, tenant }: Context,
  read: Session['read'],
  asked: readonly Asked[],
  expand: number,
) {
  const categoryIds = [...new Set(asked.flatMap(({ wanted }) => wanted.categoryIds))]
  return read({
    taken: takenStatement(asked.map(({ wanted }) => wanted)),
    references: referencesReading(asked.flatMap(({ body }) => customFieldsOf(body))),
    rules: rulesReading(tenant),
    claims: claimsReading(asked.flatMap(writtenOffers)),
    existing: existingCollections(asked.flatMap(({ body }) => writtenCollections(body) ?? [])),
    categories: embeddedReading(categoryIds, { locale, expand, translations: true }),
  })
}

/** The properties `fields` of a product and of its variants. */
function customFieldsOf({ fields, variants }: Asked['body']) {
  return [fields, ...(variants ?? []).map((each) => each.fields)]
}

function planOf(
  context: Context,
  additions: readonly NewProduct[],
  rules: TenantRules,
): Plan<ProductParts[]> {
  const products = additions.map((each) => each.parts)
  const saleOffers = additions.flatMap((each) => each.saleOffers)
  const sortings = products.map(sortingOf)
  return {
    guard: [rulesGuard(rules), ...products.flatMap((each) => entryGuards([], each.collections, rules))],
    statements: [
      ...insertStatements(context, additions, sortingStatements(sortings)),
      ...resortStatements(context, rules, products),
    ],
    changed: additions.flatMap((each) => each.events),
    totals: {
      ...sortingTotals(sortings),
      products: products.filter((each) => each.status !== 'ARCHIVED').length,
      sale_offers: countedOffers(saleOffers),
      option_values: products.flatMap((each) => each.options.flatMap((option) => option.values)).length,
    },
    result: products.map((each) => ({ ...each, variants: each.variants.slice(0, embeddedOnItem) })),
    refusals,
  }
}

function sortingOf({ id, status, collections }: ProductParts): Sorting {
  const shown = status !== 'ARCHIVED'
  return { productId: id, before: [], after: collections, shownBefore: shown, shownAfter: shown }
}

/** Looks again at new products where a rule turns on the very time at which they are created. */
function resortStatements(
  context: Context,
  rules: TenantRules,
  products: readonly ProductParts[],
): Statement[] {
  const ids = undecided(rules, context.now)
  const [first] = products.map((each) => each.id).toSorted()
  return ids.length > 0 && first ? [resortStatement(context, ids, first)] : []
}

function answer(
  { locale }: Context,
  { result, stamps, replayed }: Written<ProductParts[]>,
  bulk: boolean,
  asked: string,
): Answer {
  const documentOf = (parts: ProductParts) =>
    productDocument(stampedProduct(parts, stamps), locale, null, onItem, asked)
  const [first] = result
  if (bulk || !first) {
    const members = result.map(documentOf)
    return { kind: 'collection', members, total: members.length, replayed }
  }
  return { kind: 'item', document: documentOf(first), version: 1, location: productIri(first.id), replayed }
}
