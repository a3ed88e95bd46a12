import { uuidv7 } from 'uuidv7'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../core/handle.ts'
import type { Answer, BodyOf, Context, Input } from '../../core/operation.ts'
import { differencesBetween } from '../../core/patch.ts'
import { created } from '../../core/state.ts'
import { refuse } from '../../core/violations.ts'
import { type Plan, write } from '../../core/write.ts'
import { insertRows } from '../../db/rows.ts'
import { nameConflicts } from '../taken-names.ts'
import type { BrandParts } from './document.ts'
import { brandIri } from './iri.ts'
import { takenStatement } from './names.ts'
import { brandProblems } from './problems.ts'
import { itemAnswer, rowOf, writtenParts } from './rows.ts'
import { brand as shape } from './schema.ts'
import { brands } from './table.ts'

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
    refuse(nameConflicts(body, taken, brandProblems))
    const others = new Set(taken.flatMap(({ kind, value }) => (kind === 'handle' ? [value] : [])))
    // Others keep taking the derived handles.
    const derived = attempt > 2 ? ownHandle(base, id) : freeHandle(base, others, id)
    return planOf(context, id, { ...body, handle: body.handle ?? derived })
  })
  const parts = writtenParts(written)
  return { ...itemAnswer(context, parts), location: brandIri(parts.id), replayed: written.replayed }
}

function planOf(context: Context, id: string, body: BodyOf<typeof shape>): Plan<BrandParts> {
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
        changes: differencesBetween({}, { ...state.values, ...state.translations[context.locale.asked] }),
      },
    ],
    totals: { brands: 1 },
    result: parts,
    refusals: { brands_handle: 'again', brands_external_id: 'again' },
  }
}
