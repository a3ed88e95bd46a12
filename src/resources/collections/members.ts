import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import type { Plan } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireVersion, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { statement } from '../../db/query.ts'
import { uuidArray } from '../../db/write-steps.ts'
import type { ProductOutline } from '../products/document.ts'
import { productListParameters } from '../products/filters.ts'
import { productProblems } from '../products/problems.ts'
import { listProductsOf, outlinesQueryFor } from '../products/read.ts'
import { touch } from '../products/row.ts'
import { productIri } from '../products/schema.ts'
import { type CollectionParts, writtenAnswer } from './document.ts'
import {
  chosenOf,
  mostChosen,
  rulesQuery,
  sortingStatements,
  sortingTotals,
  type TenantRules,
} from './membership.ts'
import { collectionProblems } from './problems.ts'
import { collectionStatement, countOf, existsQuery, inCollection } from './read.ts'
import { collectionIri, type membership, collection as shape } from './schema.ts'

export { memberParameters }

const { collection: _, ...memberParameters } = productListParameters

/** Lists the products of a collection, as the list of products does. */
export async function listCollectionProducts(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof memberParameters }>,
): Promise<Answer> {
  const part = { exists: statement(existsQuery(id)), total: countOf(id), condition: inCollection(id) }
  const answer = await listProductsOf(part, context, query)
  if (!answer) throw collectionProblems.not_found({ id })
  return answer
}

/** Puts one product or several into a collection; one that is in it stays. */
export async function addCollectionProducts(
  context: Context,
  { params: { id }, bodies, bulk }: Input<{ params: 'id'; body: typeof membership }>,
): Promise<Answer> {
  const productIds = bodies.map((each) => String(each.product))
  const written = await write<CollectionParts>(context, 'addCollectionProducts', async (read) => {
    const { own, products, rules } = await readMembers(context, read, id, productIds)
    const known = new Map(products.map((each) => [each.id, each]))
    const full = products.filter(
      ({ collections }) => !collections.includes(id) && chosenOf(collections, rules).length >= mostChosen,
    )
    throwViolations(
      productIds.flatMap((each, index) => {
        const path = bulk ? `[${index}].product` : 'product'
        const product = known.get(each)
        if (!product) return [validationProblems.unknown_reference.at(path, { iri: productIri(each) })]
        return full.includes(product)
          ? [collectionProblems.chosen_limit.at(path, { maximum: mostChosen })]
          : []
      }),
    )
    const added = products.filter((each) => !each.collections.includes(id))
    return plan(context, own, added, (product) => [...product.collections, id].toSorted())
  })
  return { ...writtenAnswer(context, written), location: `${collectionIri(id)}/products` }
}

/** Takes a product out of a collection. @throws 404 `product.not_found` when it is not in it */
export async function removeCollectionProduct(
  context: Context,
  { params: { id, productId } }: Input<{ params: 'id' | 'productId' }>,
): Promise<Answer> {
  const { replayed } = await write<CollectionParts>(context, 'removeCollectionProduct', async (read) => {
    const { own, products } = await readMembers(context, read, id, [productId])
    const members = products.filter((each) => each.collections.includes(id))
    if (members.length === 0) throw productProblems.not_found({ id: productId })
    return plan(context, own, members, (product) => product.collections.filter((each) => each !== id))
  })
  return { kind: 'empty', replayed }
}

type Members = {
  readonly own: CollectionParts
  readonly products: readonly ProductOutline[]
  readonly rules: TenantRules
}

/** A collection that products are chosen for, and some products. @throws 404, 409 `collection.rule_based_membership` */
async function readMembers(
  { tenant }: Context,
  read: Session['read'],
  id: string,
  productIds: readonly string[],
): Promise<Members> {
  const {
    found: [own],
    rules,
    products,
  } = await read({
    found: collectionStatement(id, true),
    rules: rulesQuery(tenant),
    products: outlinesQueryFor(sql`select unnest(${uuidArray([...new Set(productIds)])})`),
  })
  if (!own) throw collectionProblems.not_found({ id })
  if (stateOf(shape, own).values.rules !== null) throw collectionProblems.rule_based_membership()
  return { own, products, rules }
}

/** The products are what changes; of the collection only the count follows. @throws 409 `product.archived` */
function plan(
  context: Context,
  own: CollectionParts,
  products: readonly ProductOutline[],
  sortedAs: (product: ProductOutline) => readonly string[],
): Plan<CollectionParts> {
  requireVersion(context, own.version)
  if (products.length === 0) return { unchanged: own }
  const sortings = products.map((product) => ({
    product,
    productId: product.id,
    before: product.collections,
    after: sortedAs(product),
    shownBefore: true,
    shownAfter: true,
  }))
  const touched = sortings.map(({ product, before, after }) =>
    touch({ ...product, collections: after }, [
      { path: 'collections', before: before.map(collectionIri), after: after.map(collectionIri) },
    ]),
  )
  const totals = sortingTotals(sortings)
  return {
    // The collection too, so that none is filled while it is deleted.
    guard: [...touched.map((each) => each.guard), { kind: 'collections', id: own.id, version: own.version }],
    statements: sortingStatements(sortings),
    changed: touched.map((each) => each.changed),
    totals,
    result: { ...own, productsCount: own.productsCount + (totals[countOf(own.id)] ?? 0) },
    refusals: {},
  }
}
