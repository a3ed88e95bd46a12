import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { deletionOf } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { patching, type Rewrite, type Translated } from '../../core/rewrite.ts'
import { stateOf } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { demandVersion, type Plan, write } from '../../core/write.ts'
import { deleteRows, updateRows } from '../../db/rows.ts'
import { nameConflicts } from '../taken-names.ts'
import type { BrandParts } from './document.ts'
import { brandKind } from './kind.ts'
import { takenStatement } from './names.ts'
import { brandProblems } from './problems.ts'
import { itemAnswer, rowOf, writtenParts } from './rows.ts'
import { brand as shape } from './schema.ts'
import { brandStatement } from './store.ts'
import { brands } from './table.ts'

type Body = BodyOf<typeof shape>
type BrandRewrite = Rewrite<typeof shape>

/** Merges a patch into a brand. */
export async function patchBrand(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const written = await changed(context, 'patchBrand', {
    id,
    body,
    rewrite: patching(shape, body, context.locale),
  })
  return { ...itemAnswer(context, writtenParts(written)), replayed: written.replayed }
}

/** Rewrites a brand's texts. */
export async function translateBrand(
  context: Context,
  id: string,
  rewrite: BrandRewrite,
): Promise<Translated<BrandParts>> {
  const written = await changed(context, 'putBrandTranslations', { id, body: {}, rewrite })
  return { ...writtenParts(written), replayed: written.replayed }
}

type RequestedChange = { readonly id: string; readonly body: Body; readonly rewrite: BrandRewrite }

function changed(context: Context, operation: string, change: RequestedChange) {
  const { id, body } = change
  const handles = typeof body.handle === 'string' ? [body.handle] : []
  return write<BrandParts>(context, operation, async (read) => {
    const { found, taken } = await read({
      found: brandStatement(id, true),
      taken: takenStatement({ handles, externalId: body.externalId }, id),
    })
    const [own] = found
    if (!own) throw brandProblems.not_found({ id })
    demandVersion(context, own.version)
    refuse(nameConflicts(body, taken, brandProblems))
    return planOf(context, own, change)
  })
}

function planOf(context: Context, own: BrandParts, { id, body, rewrite }: RequestedChange): Plan<BrandParts> {
  const before = stateOf(shape, own)
  const { state, violations } = rewrite.apply(before)
  refuse([...violations, ...(body.handle === null ? [validationProblems.required.at('handle')] : [])])
  if (sameJson(before, state)) return { unchanged: own }
  const row = rowOf(context, id, state)
  const after: BrandParts = { ...own, document: row.document, translations: row.translations }
  return {
    guard: [{ kind: 'brands', id, version: own.version }],
    statements: updateRows(brands, [row]),
    changed: [
      {
        kind: 'brands',
        id,
        version: own.version + 1,
        action: 'updated',
        topic: 'brand/updated',
        document: JSON.stringify(after),
        changes: differencesBetween(rewrite.shown(before), rewrite.shown(state)),
      },
    ],
    totals: {},
    result: after,
    refusals: { brands_handle: 'again', brands_external_id: 'again' },
  }
}

/** Deletes a brand. */
export async function deleteBrand(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteBrand', async (read) => {
    const { found } = await read({ found: brandStatement(id, true) })
    const [own] = found
    if (!own) throw brandProblems.not_found({ id })
    demandVersion(context, own.version)
    return {
      guard: [{ kind: 'brands', id, version: own.version }],
      statements: deleteRows(brands, [id]),
      changed: [deletionOf(brandKind, own, JSON.stringify(own))],
      totals: { brands: -1 },
      result: null,
      refusals: {},
    }
  })
  return { kind: 'empty', replayed }
}
