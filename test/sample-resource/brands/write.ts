import { uuidv7 } from 'uuidv7'
import type { Answer, BodyOf, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, type Plan, updateOf, withStamps } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { handleCandidates, handleOf } from '../../core/slug.ts'
import { created, patchTexts, stateOf, type TextUpdate, type Translated } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { deleteRow, save } from '../../db/write-steps.ts'
import { namesInUse, takenNamesStatement } from '../shared/names.ts'
import { type BrandParts, brandKind } from './document.ts'
import { brandProblems } from './problems.ts'
import { brandStatement, rowOf, writtenAnswer } from './read.ts'
import { brandIri, brand as shape } from './schema.ts'
import { brands } from './table.ts'

const nameProblems = { handle: brandProblems.handle_taken, externalId: brandProblems.external_id_taken }

/** Creates a brand. */
export async function createBrand(
  context: Context,
  { bodies }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const [body = {}] = bodies
  const base = handleOf(body.title ?? '', 'brand')
  const handles = typeof body.handle === 'string' ? [body.handle] : handleCandidates(base)
  const written = await write<BrandParts>(context, 'createBrand', async (read, attempt) => {
    const { taken } = await read({
      taken: takenNamesStatement(brands, { handle: handles, externalId: [body.externalId] }),
    })
    const names = namesInUse(taken)
    throwViolations(names.reserveAll(body, nameProblems))
    const handle = body.handle ?? names.reserveHandle(base, id, attempt > 1)
    return creationPlan(context, id, { ...body, handle })
  })
  return { ...writtenAnswer(context, written), location: brandIri(written.result.id) }
}

function creationPlan(context: Context, id: string, body: BodyOf<typeof shape>): Plan<BrandParts> {
  const state = created(shape, body, context.locale)
  const row = rowOf(context, id, state)
  const { document, translations } = row
  const parts = { id, document, translations, version: 0, createdAt: '', updatedAt: '' }
  return {
    guard: [],
    underClock: save(brands, [row]),
    changed: [
      creationOf(brandKind, id, {
        document: JSON.stringify(parts),
        changes: differencesBetween({}, { ...state.values, ...state.translations[context.locale.requested] }),
      }),
    ],
    totals: { brands: 1 },
    result: parts,
  }
}

type Body = BodyOf<typeof shape>
type BrandTextUpdate = TextUpdate<typeof shape>

/** Merges a patch into a brand. */
export async function patchBrand(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const written = await changed(context, 'patchBrand', {
    id,
    body,
    textUpdate: patchTexts(shape, body, context.locale),
  })
  return writtenAnswer(context, written)
}

/** Rewrites a brand's texts. */
export async function translateBrand(
  context: Context,
  id: string,
  textUpdate: BrandTextUpdate,
): Promise<Translated<BrandParts>> {
  const written = await changed(context, 'putBrandTranslations', { id, body: {}, textUpdate })
  return { ...withStamps(written.result, written.stamps), replayed: written.replayed }
}

type RequestedChange = { readonly id: string; readonly body: Body; readonly textUpdate: BrandTextUpdate }

function changed(context: Context, operation: string, change: RequestedChange) {
  const { id, body } = change
  return write<BrandParts>(context, operation, async (read) => {
    const { found, taken } = await read({
      found: brandStatement(id, true),
      taken: takenNamesStatement(
        brands,
        { handle: [body.handle], externalId: [body.externalId] },
        { except: id },
      ),
    })
    const [own] = found
    if (!own) throw brandProblems.not_found({ id })
    requireIfMatch(context, own.version)
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    return changePlan(context, own, change)
  })
}

function changePlan(
  context: Context,
  own: BrandParts,
  { id, body, textUpdate }: RequestedChange,
): Plan<BrandParts> {
  const before = stateOf(shape, own)
  const { state, violations } = textUpdate.apply(before)
  throwViolations([
    ...violations,
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
  ])
  if (sameJson(before, state)) return { unchanged: own }
  const row = rowOf(context, id, state)
  const after: BrandParts = { ...own, document: row.document, translations: row.translations }
  return {
    guard: [{ kind: 'brands', id, version: own.version }],
    underClock: save(brands, [row]),
    changed: [
      updateOf(brandKind, own, {
        document: JSON.stringify(after),
        changes: differencesBetween(textUpdate.shown(before), textUpdate.shown(state)),
      }),
    ],
    totals: {},
    result: after,
  }
}

/** Deletes a brand. */
export async function deleteBrand(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteBrand', async (read) => {
    const { found } = await read({ found: brandStatement(id, true) })
    const [own] = found
    if (!own) throw brandProblems.not_found({ id })
    requireIfMatch(context, own.version)
    return {
      guard: [{ kind: 'brands', id, version: own.version }],
      beforeClock: [deleteRow(brands, id)],
      changed: [deletionOf(brandKind, own, JSON.stringify(own))],
      totals: { brands: -1 },
      result: null,
    }
  })
  return { kind: 'empty', replayed }
}
