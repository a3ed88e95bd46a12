import { uuidv7 } from 'uuidv7'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { created } from '../../core/state.ts'
import type { CategoryParts } from '../categories/index.ts'
import { customFieldViolations, metaobjectsOf, type References } from '../content/custom-fields/index.ts'
import { countedOffers, newSaleOffers } from '../prices/sale/index.ts'
import { productIri } from './iri.ts'
import type { OptionParts } from './options/index.ts'
import { productProblems } from './problems.ts'
import {
  combinationOf,
  type InlineVariant,
  resolveOptionValues,
  variant,
  variantParts,
  variantRow,
} from './variants/index.ts'
import { variantIri } from './variants/iri.ts'
import type { WriteContext } from './write-context.ts'

/** What new variants show of their product, and refer to. */
type Beside = {
  readonly options: readonly OptionParts[]
  readonly references: References
  readonly categories: readonly CategoryParts[]
}

/** The variants of a new product, their rows and sale offers, in the order written; each combination of values once. */
export function newVariants(
  context: WriteContext,
  productId: string,
  written: readonly InlineVariant[],
  { options, references, categories }: Beside,
  at: (path: string) => string,
) {
  const violations: Violation[] = []
  const taken = new Set<string>()
  if (options.length === 0 && written.length > 1)
    violations.push(productProblems.options_required.at(at('variants[1]')))
  const made = written.map((values, position) => {
    const path = at(`variants[${position}].optionValues`)
    const choices = values.optionValues ?? []
    const resolved = resolveOptionValues(options, choices, context.locale, path)
    violations.push(...resolved.violations)
    const combination = combinationOf(resolved.ids)
    if (resolved.violations.length === 0 && options.length > 0 && taken.has(combination)) {
      violations.push(validationProblems.duplicate_item.at(path))
    }
    taken.add(combination)
    const state = created(variant, { ...values, status: 'ACTIVE' }, context.locale)
    const { fields } = state.values
    const inVariant = (each: string) => at(`variants[${position}].${each}`)
    violations.push(
      ...customFieldViolations({ fields: values.fields, before: null, after: state }, references, inVariant),
    )
    const metaobjects = metaobjectsOf(fields, references.metaobjects)
    const identity = { id: uuidv7(), productId, optionValueIds: resolved.ids, position, metaobjects }
    const parts = variantParts(identity, state)
    const { id } = identity
    const owner = { id, iri: variantIri(productId, id), ownerId: productId, ownerIri: productIri(productId) }
    const offers = newSaleOffers(context, values.saleOffers ?? [], { ...owner, categories })
    const row = { ...variantRow(parts, state.values), saleOfferCount: countedOffers(offers) }
    return { parts, row, offers }
  })
  return {
    variants: made.map((each) => each.parts),
    saleOffers: made.flatMap((each) => each.offers),
    rows: { variants: made.map((each) => each.row) },
    violations,
  }
}
