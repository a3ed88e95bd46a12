import { uuidv7 } from 'uuidv7'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { created, stateOf } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { write } from '../../../core/write.ts'
import { placeAll } from '../../../db/place.ts'
import { insertRows } from '../../../db/rows.ts'
import { levelsOf } from '../../categories/index.ts'
import {
  fieldViolations,
  metaobjectsOf,
  referencesIn,
  referencesStatement,
} from '../../content/custom-fields/index.ts'
import { idOf, productProblems, readProduct, reindexed, touch } from '../index.ts'
import { limits, siblings, writeReading } from './aggregate.ts'
import { answer, type Result, slim } from './answer.ts'
import { combinationOf, resolveOptionValues } from './combination.ts'
import { changed } from './event.ts'
import { valueLinks } from './links.ts'
import { type Taken, takenStatement, takenViolations } from './names.ts'
import { variantProblems } from './problems.ts'
import { type OptionValueChoice, variant as shape } from './schema.ts'
import { variantParts, variantRow } from './store.ts'
import { variantOptionValues, variants } from './table.ts'

/** Creates one variant or up to 250 of one product, all or nothing: a combination exists once, also under concurrency. */
export async function createVariants(
  context: Context,
  { params, query, bodies, bulk }: Input,
): Promise<Answer> {
  const productId = params.productId!
  const ids = bodies.map(() => uuidv7())
  const { result, stamps, replayed } = await write<Json>(context, 'createVariants', async (read) => {
    const { product, more } = await readProduct(
      read,
      idOf(productId),
      { ...writeReading, locale: context.locale, expand: levelsOf(query.expand) },
      takenStatement(bodies, null),
      referencesStatement(bodies.map((each) => each.fields)),
    )
    if (!product) throw productProblems.not_found({ id: productId })
    const touched = touch(product)
    const at = (index: number, path: string) => (bulk ? `[${index}].${path}` : path)
    const references = referencesIn(more[1]!)
    const violations: Violation[] = [...limits(product, bodies.length)]
    // Where each new variant ends up: the others stay in their order around them.
    const order: (string | null)[] = Array.from({ length: product.variantsTotal }, () => null)
    const made = bodies.map((body, index) => {
      const choices = (body.optionValues as unknown as OptionValueChoice[] | null | undefined) ?? []
      const resolved = resolveOptionValues(
        product.options,
        choices,
        context.locale,
        at(index, 'optionValues'),
      )
      violations.push(...resolved.violations)
      const position = body.position as number | null | undefined
      order.splice(position == null || position < 0 ? order.length : position, 0, ids[index]!)
      const state = created(shape, { ...body, status: 'ACTIVE' }, context.locale)
      violations.push(
        ...fieldViolations({ fields: body.fields, before: null, after: state }, references, (path) =>
          at(index, path),
        ),
      )
      const metaobjects = metaobjectsOf(state.values.fields, references.metaobjects)
      const identity = { id: ids[index]!, productId, optionValueIds: resolved.ids, position: 0, metaobjects }
      return variantParts(identity, state)
    })
    refuse(violations)
    refuse(takenViolations(more[0] as Taken[], made.map(variantRow), at))
    const combinations = made.map((each) => combinationOf(each.optionValueIds))
    const repeated = combinations.findIndex((each, index) => combinations.indexOf(each) < index)
    if (repeated >= 0) refuse([variantProblems.combination_exists.at(at(repeated, 'optionValues'))])
    const placed = made.map((each) => ({ ...each, position: order.indexOf(each.id) }))
    // Appended first, then moved: only a position that was asked for costs a renumbering.
    const rows = placed.map((each, index) => ({
      ...variantRow(each),
      position: product.variantsTotal + index,
    }))
    const moves = placed.some((each, index) => each.position !== product.variantsTotal + index)
    return {
      guard: [touched.guard],
      statements: [
        ...insertRows(variants, rows),
        ...insertRows(variantOptionValues, rows.flatMap(valueLinks)),
        ...(moves ? [placeAll(variants, siblings(productId), placed)] : []),
        ...(rows.some((each) => each.sku || each.barcode) ? reindexed(product, context.tenant.locales) : []),
      ],
      changed: [...placed.map((each) => changed(each, 'created', {}, stateOf(shape, each))), touched.changed],
      totals: {},
      result: { product: slim(product), variants: placed } as unknown as Json,
      refusals: {
        variants_combination: variantProblems.combination_exists(),
        variants_sku: 'again',
        variants_external_id: 'again',
        variant_option_values_in_use: 'again',
      },
    }
  })
  return answer(context, result as unknown as Result, stamps, bulk, replayed, true)
}
