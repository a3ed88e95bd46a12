import type { Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { created, type State } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../../content/custom-fields/index.ts'
import { claimed, type NewSaleOffer, newSaleOffers, type WrittenList } from '../../prices/sale/index.ts'
import { type ProductParts, productProblems, type Touch, touch } from '../index.ts'
import { productIri } from '../iri.ts'
import { type Body, limits } from './aggregate.ts'
import { combinationOf, resolveOptionValues } from './combination.ts'
import type { VariantParts } from './document.ts'
import { variantIri } from './iri.ts'
import { type Taken, takenViolations } from './names.ts'
import { variantProblems } from './problems.ts'
import { variant as shape } from './schema.ts'
import { variantParts, variantRow } from './store.ts'

/** New variants as they are written, each with the id that it gets; `bulk` where an array was sent. */
export type Asked = {
  readonly productId: string
  readonly written: readonly { readonly id: string; readonly body: Body }[]
  readonly bulk: boolean
}

/** What was read to create variants. */
type Found = {
  readonly product: ProductParts | null
  readonly taken: readonly Taken[]
  readonly references: References
  /** The external ids among those of its sale offers that others have. */
  readonly claims: Set<string>
}

type Made = {
  readonly parts: VariantParts & { readonly position: number }
  readonly state: State<typeof shape>
  readonly saleOffers: readonly NewSaleOffer[]
}

/** New variants that are allowed, each in the place that it comes to. */
export type Decided = {
  readonly product: ProductParts
  readonly touched: Touch
  readonly made: readonly Made[]
}

/** The sale offers that new variants are written with. */
export function writtenOffers({ written, bulk }: Asked): WrittenList[] {
  return written.map(({ body: { saleOffers } }, index) => ({
    path: place(bulk, index, 'saleOffers'),
    written: saleOffers ?? [],
  }))
}

function place(bulk: boolean, index: number, path: string): string {
  return bulk ? `[${index}].${path}` : path
}

type Writing = Pick<Context, 'locale'> & { readonly tenant: Pick<Context['tenant'], 'locales'> }

/** Decides what new variants are. @throws Problem 404, 409, 422 */
export function decideCreation(
  context: Writing,
  { product, taken, references, claims }: Found,
  asked: Asked,
): Decided {
  const { productId, written, bulk } = asked
  if (!product) throw productProblems.not_found({ id: productId })
  const touched = touch(product)
  const at = (index: number, path: string) => place(bulk, index, path)
  const positions = positionsOf(written, product.variantsTotal)
  const drafts = written.map(({ id, body }, index) => {
    const identity = { id, productId, position: positions.get(id) ?? 0 }
    return draft(context, product, identity, body, references, (path) => at(index, path))
  })
  refuse([...limits(product, drafts.length), ...drafts.flatMap((each) => each.violations)])
  const rows = drafts.map(({ parts, state }) => variantRow(parts, state.values))
  refuse([...takenViolations(taken, rows, at), ...claimed(writtenOffers(asked), claims)])
  refuse(repeatedCombination(drafts, at))
  return { product, touched, made: drafts }
}

/** Where each new variant ends up: the others stay in their order around them. */
function positionsOf(written: Asked['written'], total: number): ReadonlyMap<string, number> {
  const order: (string | null)[] = Array.from({ length: total }, () => null)
  for (const { id, body } of written) {
    const { position } = body
    order.splice(position == null || position < 0 ? order.length : position, 0, id)
  }
  return new Map(order.flatMap((id, position) => (id === null ? [] : [[id, position] as const])))
}

function draft(
  context: Writing,
  { options, categories }: ProductParts,
  identity: { readonly id: string; readonly productId: string; readonly position: number },
  body: Body,
  references: References,
  at: (path: string) => string,
): Made & { readonly violations: Violation[] } {
  const { locale } = context
  const resolved = resolveOptionValues(options, body.optionValues ?? [], locale, at('optionValues'))
  const state = created(shape, { ...body, status: 'ACTIVE' }, locale)
  const misfits = customFieldViolations({ fields: body.fields, before: null, after: state }, references, at)
  const metaobjects = metaobjectsOf(state.values.fields, references.metaobjects)
  const parts = variantParts({ ...identity, optionValueIds: resolved.ids, metaobjects }, state)
  const { id, productId, position } = identity
  const owner = { id, iri: variantIri(productId, id), ownerId: productId, ownerIri: productIri(productId) }
  const saleOffers = newSaleOffers(context, body.saleOffers ?? [], { ...owner, categories })
  const violations = [...resolved.violations, ...misfits]
  return { parts: { ...parts, position }, state, saleOffers, violations }
}

/** The first combination that another new variant has already. */
function repeatedCombination(
  drafts: readonly Made[],
  at: (index: number, path: string) => string,
): Violation[] {
  const combinations = drafts.map(({ parts }) => combinationOf(parts.optionValueIds))
  const repeated = combinations.findIndex((each, index) => combinations.indexOf(each) < index)
  return repeated < 0 ? [] : [variantProblems.combination_exists.at(at(repeated, 'optionValues'))]
}
