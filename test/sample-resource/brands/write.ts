import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { deletionOf, type Plan } from '../../core/plan.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/slug.ts'
import { created, patchTexts, stateOf, type TextUpdate, type Translated } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireVersion, write } from '../../core/write.ts'
import { type Statement, statement } from '../../db/query.ts'
import { deleteRows, insertRows, textArray, updateRows } from '../../db/write-steps.ts'
import { nameConflicts, type Taken } from '../shared/names.ts'
import { type BrandParts, brandKind } from './document.ts'
import { brandProblems } from './problems.ts'
import { brandStatement, itemAnswer, rowOf, writtenParts } from './read.ts'
import { brandIri, brand as shape } from './schema.ts'
import { brands } from './table.ts'

type Names = { readonly handles: readonly string[]; readonly externalId: string | null | undefined }

/** Finds out which names others than the brand itself have. */
export function takenStatement({ handles, externalId }: Names, except: string): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from brands
     where tenant_id = current_tenant() and handle = any(${textArray(handles)}) and id <> ${except}::uuid
    union all
    select 'externalId', external_id from brands
     where tenant_id = current_tenant() and external_id = ${externalId ?? null}::text and id <> ${except}::uuid`)
}

/** Creates a brand. */
export async function createBrand(
  context: Context,
  { bodies }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const [body = {}] = bodies
  let attempt = 0
  const base = handleOf(body.title ?? '', 'brand')
  const handles = typeof body.handle === 'string' ? [body.handle] : handleCandidates(base)
  const written = await write<BrandParts>(context, 'createBrand', async (read) => {
    attempt += 1
    const { taken } = await read({ taken: takenStatement({ handles, externalId: body.externalId }, id) })
    throwViolations(nameConflicts(body, taken, brandProblems))
    const others = new Set(taken.flatMap(({ kind, value }) => (kind === 'handle' ? [value] : [])))
    // Others keep taking the derived handles.
    const derived = attempt > 2 ? ownHandle(base, id) : freeHandle(base, others, id)
    return creationPlan(context, id, { ...body, handle: body.handle ?? derived })
  })
  const parts = writtenParts(written)
  return { ...itemAnswer(context, parts), location: brandIri(parts.id), replayed: written.replayed }
}

function creationPlan(context: Context, id: string, body: BodyOf<typeof shape>): Plan<BrandParts> {
  const state = created(shape, body, context.locale)
  const row = rowOf(context, id, state)
  const { document, translations } = row
  const parts = { id, document, translations, version: 0, createdAt: '', updatedAt: '' }
  return {
    guard: [],
    statements: insertRows(brands, [row]),
    changed: [
      {
        kind: 'brands',
        id,
        version: 1,
        action: 'created',
        topic: 'brand/created',
        document: JSON.stringify(parts),
        changes: differencesBetween({}, { ...state.values, ...state.translations[context.locale.requested] }),
      },
    ],
    totals: { brands: 1 },
    result: parts,
    constraintProblems: { brands_handle: 'again', brands_external_id: 'again' },
  }
}

type Body = BodyOf<typeof shape>
type BrandRewrite = TextUpdate<typeof shape>

/** Merges a patch into a brand. */
export async function patchBrand(
  context: Context,
  { params: { id }, bodies }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const [body = {}] = bodies
  const written = await changed(context, 'patchBrand', {
    id,
    body,
    rewrite: patchTexts(shape, body, context.locale),
  })
  return { ...itemAnswer(context, writtenParts(written)), replayed: written.replayed }
}

/** Rewrites a brand's textArray. */
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
    requireVersion(context, own.version)
    throwViolations(nameConflicts(body, taken, brandProblems))
    return changePlan(context, own, change)
  })
}

function changePlan(
  context: Context,
  own: BrandParts,
  { id, body, rewrite }: RequestedChange,
): Plan<BrandParts> {
  const before = stateOf(shape, own)
  const { state, violations } = rewrite.apply(before)
  throwViolations([
    ...violations,
    ...(body.handle === null ? [validationProblems.required.at('handle')] : []),
  ])
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
    constraintProblems: { brands_handle: 'again', brands_external_id: 'again' },
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
    requireVersion(context, own.version)
    return {
      guard: [{ kind: 'brands', id, version: own.version }],
      statements: deleteRows(brands, [id]),
      changed: [deletionOf(brandKind, own, JSON.stringify(own))],
      totals: { brands: -1 },
      result: null,
      constraintProblems: {},
    }
  })
  return { kind: 'empty', replayed }
}
