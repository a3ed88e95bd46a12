import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Answer, Context, Input } from '../../core/operation.ts'
import type { Plan } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import type { Session } from '../../db/client.ts'
import { statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import type { ProductBase } from '../products/document.ts'
import { productListParameters } from '../products/filters.ts'
import { productProblems } from '../products/problems.ts'
import { baseProductsQuery, listProductSubset } from '../products/read.ts'
import { bumpProduct } from '../products/row.ts'
import { productIri } from '../products/schema.ts'
import { type CollectionParts, writtenAnswer } from './document.ts'
import {
  collectionsChangeSteps,
  collectionsChangeTotals,
  manualCollections,
  maxChosenCollections,
  rulesQuery,
} from './membership.ts'
import { collectionProblems } from './problems.ts'
import { collectionStatement, countOf, existsQuery, inCollection } from './read.ts'
import { collectionIri, type membership, collection as shape } from './schema.ts'

export { memberParameters }

const { collection: _, ...memberParameters } = productListParameters

/** Lists the products of a collection like the list of products. */
export async function listCollectionProducts(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof memberParameters }>,
): Promise<Answer> {
  const subset = {
    existence: statement(existsQuery(id), { exists: z.literal(1) }),
    total: countOf(id),
    condition: inCollection(id),
  }
  const answer = await listProductSubset(subset, context, query)
  if (!answer) throw collectionProblems.not_found({ id })
  return answer
}

/** Adds one or more products to a collection. Existing members are unchanged. */
export async function addCollectionProducts(
  context: Context,
  { params: { id }, bodies, bulk }: Input<{ params: 'id'; body: typeof membership }>,
): Promise<Answer> {
  const productIds = bodies.map((body) => String(body.product))
  const outcome = await write<CollectionParts>(context, 'addCollectionProducts', async (read) => {
    const { collection, products, rules } = await readMembers(context, read, id, productIds)
    const productsById = new Map(products.map((product) => [product.id, product]))
    const fullProducts = products.filter(
      ({ collections }) =>
        !collections.includes(id) && manualCollections(collections, rules).length >= maxChosenCollections,
    )
    throwViolations(
      productIds.flatMap((productId, index) => {
        const path = bulk ? `[${index}].product` : 'product'
        const product = productsById.get(productId)
        if (!product) return [validationProblems.unknown_reference.at(path, { iri: productIri(productId) })]
        return fullProducts.includes(product)
          ? [collectionProblems.chosen_limit.at(path, { maximum: maxChosenCollections })]
          : []
      }),
    )
    const newMembers = products.filter((product) => !product.collections.includes(id))
    return planMembership(context, collection, newMembers, (product) =>
      [...product.collections, id].toSorted(),
    )
  })
  return { ...writtenAnswer(context, outcome), location: `${collectionIri(id)}/products` }
}

/** Removes a product from a collection. @throws 404 `product.not_found` if the product is not a member */
export async function removeCollectionProduct(
  context: Context,
  { params: { id, productId } }: Input<{ params: 'id' | 'productId' }>,
): Promise<Answer> {
  const { replayed } = await write<CollectionParts>(context, 'removeCollectionProduct', async (read) => {
    const { collection, products } = await readMembers(context, read, id, [productId])
    const members = products.filter((product) => product.collections.includes(id))
    if (members.length === 0) throw productProblems.not_found({ id: productId })
    return planMembership(context, collection, members, (product) =>
      product.collections.filter((collectionId) => collectionId !== id),
    )
  })
  return { kind: 'empty', replayed }
}

/** Reads a manual collection and some products. @throws 404, 409 `collection.rule_based_membership` */
async function readMembers(
  { tenant }: Context,
  read: Session['read'],
  id: string,
  productIds: readonly string[],
) {
  const {
    collections: [collection],
    rules,
    products,
  } = await read({
    collections: collectionStatement(id, true),
    rules: rulesQuery(tenant),
    products: baseProductsQuery(sql`select unnest(${uuidArray([...new Set(productIds)])})`),
  })
  if (!collection) throw collectionProblems.not_found({ id })
  if (stateOf(shape, collection).values.rules !== null) throw collectionProblems.rule_based_membership()
  return { collection, products, rules }
}

/** Changes the products; the collection changes only in its count. @throws 409 `product.archived` */
function planMembership(
  context: Context,
  collection: CollectionParts,
  products: readonly ProductBase[],
  collectionsAfter: (product: ProductBase) => readonly string[],
): Plan<CollectionParts> {
  requireIfMatch(context, collection.version)
  if (products.length === 0) return { unchanged: collection }
  const membershipChanges = products.map((product) => ({
    product,
    productId: product.id,
    before: product.collections,
    after: collectionsAfter(product),
    shownBefore: true,
    shownAfter: true,
  }))
  const productChanges = membershipChanges.map(({ product, before, after }) =>
    bumpProduct({ ...product, collections: after }, [
      { path: 'collections', before: before.map(collectionIri), after: after.map(collectionIri) },
    ]),
  )
  const totals = collectionsChangeTotals(membershipChanges)
  return {
    // Guards the collection too, so that no product enters it during its deletion.
    guard: [
      ...productChanges.map((change) => change.guard),
      { kind: 'collections', id: collection.id, version: collection.version },
    ],
    beforeClock: collectionsChangeSteps(membershipChanges),
    changed: productChanges.map((change) => change.changed),
    totals,
    result: {
      ...collection,
      productsCount: collection.productsCount + (totals[countOf(collection.id)] ?? 0),
    },
  }
}
