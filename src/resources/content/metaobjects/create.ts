import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { cut } from '../../../core/cut.ts'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../../core/handle.ts'
import { localeOf } from '../../../core/locale.ts'
import type { Answer, BodyOf, Context, Input } from '../../../core/operation.ts'
import { differencesBetween } from '../../../core/patch.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { created } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { type Plan, write } from '../../../core/write.ts'
import { insertRows } from '../../../db/rows.ts'
import { nameConflicts, type Taken } from '../../taken-names.ts'
import {
  type Definition,
  type DefinitionParts,
  definitionOf,
  definitionStatement,
} from '../definitions/index.ts'
import { metaobjectDefinitionIri } from '../definitions/iri.ts'
import { possibleReferences, writtenFields } from '../field-types/index.ts'
import {
  displayNameOf,
  type FieldValues,
  type MetaobjectParts,
  metaobjectEventDocument,
  outlineOf,
} from './document.ts'
import { metaobjectIri } from './iri.ts'
import { takenStatement } from './names.ts'
import { metaobjectProblems } from './problems.ts'
import { changeView, incompleteViolations, type Own, partsOf, rowOf, writtenAnswer } from './rows.ts'
import { metaobject as shape } from './schema.ts'
import { type Existing, existingStatement, type Metaobjects, metaobjectsReading } from './store.ts'
import { metaobjects } from './table.ts'
import { mergedValues } from './values.ts'

type Body = BodyOf<typeof shape>

const noValues: FieldValues = { fields: {}, translations: {} }
const standardHandle = 'entry'

/** Creates a metaobject. */
export async function createMetaobject(
  context: Context,
  { bodies }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const [body = {}] = bodies
  let attempt = 0
  const written = await write<MetaobjectParts>(context, 'createMetaobject', async (read) => {
    attempt += 1
    const { beside, ...found } = await read(readingsOf(id, body))
    const own = decide(context, { id, body, crowded: attempt > 2 }, found)
    return planOf(context, own, beside)
  })
  return { ...writtenAnswer(context, written), location: metaobjectIri(written.result.id) }
}

function readingsOf(id: string, body: Body) {
  const definitionId = sql`${String(body.definition)}::uuid`
  const texts = textsOf(body)
  // Which of the values is the name, only the definition tells.
  const bases = new Set([standardHandle, ...texts.map(baseOf)])
  const ids = possibleReferences(texts)
  return {
    definitions: definitionStatement(definitionId),
    taken: takenStatement({
      definitionId,
      handles: body.handle ? [body.handle] : [...bases].flatMap((base) => handleCandidates(base)),
      externalId: body.externalId,
      except: id,
    }),
    existing: existingStatement(ids, null),
    beside: metaobjectsReading(sql`select null::uuid`, ids),
  }
}

function textsOf({ fields }: Body): string[] {
  return writtenFields(fields).entries.flatMap(({ value }) => value ?? [])
}

type RequestedMetaobject = {
  readonly id: string
  readonly body: Body
  /** True when others keep taking the derived handles. */
  readonly crowded: boolean
}

type Found = {
  readonly definitions: readonly DefinitionParts[]
  readonly taken: readonly Taken[]
  readonly existing: readonly Existing[]
}

/** @throws Problem 409, 422 for what cannot be */
function decide(context: Context, wanted: RequestedMetaobject, { definitions, taken, existing }: Found): Own {
  const { id, body } = wanted
  const { locale } = context
  const iri = metaobjectDefinitionIri(String(body.definition))
  const definition = definitions.map(definitionOf)[0] ?? refuse([unknownDefinition(iri)])
  const written = writtenFields(body.fields)
  const { values, violations } = mergedValues(definition, noValues, written, existing, {
    locale,
    fallbacks: undefined,
  })
  refuse(violations)
  if (body.status === 'ACTIVE') refuse(incompleteViolations(definition, values, null, 'status'))
  refuse(nameConflicts(body, taken, metaobjectProblems))
  const handle = body.handle ?? derivedHandle(context, wanted, { definition, values }, taken)
  return { id, definition, values, state: created(shape, { ...body, handle, definition: iri }, locale) }
}

function unknownDefinition(iri: string) {
  return validationProblems.unknown_reference.at('definition', { iri })
}

function derivedHandle(
  { tenant, locale }: Context,
  { id, crowded }: RequestedMetaobject,
  { definition, values }: { readonly definition: Definition; readonly values: FieldValues },
  taken: readonly Taken[],
): string {
  const written = localeOf(tenant.locales, locale.asked)
  const name = displayNameOf({ ...values, outline: outlineOf(definition) }, written)
  const base = name ? baseOf(name.value) : standardHandle
  const others = new Set(taken.flatMap(({ kind, value }) => (kind === 'handle' ? [value] : [])))
  return crowded ? ownHandle(base, id) : freeHandle(base, others, id)
}

/** The handle that a text would give: its beginning is enough. */
function baseOf(text: string): string {
  return handleOf(cut(text, 255), standardHandle)
}

function planOf(context: Context, own: Own, beside: Metaobjects): Plan<MetaobjectParts> {
  const { id, definition, state, values } = own
  const row = rowOf(context, own)
  const parts = partsOf(row, definition, { version: 0, createdAt: '', updatedAt: '' }, beside.row)
  return {
    guard: [{ kind: 'metaobject_definitions', id: definition.id, version: definition.version }],
    statements: insertRows(metaobjects, [row]),
    changed: [
      {
        kind: 'metaobjects',
        id,
        version: 1,
        action: 'created',
        topic: 'metaobject/created',
        document: metaobjectEventDocument(parts),
        changes: differencesBetween({}, changeView(state, values, context)),
      },
    ],
    totals: { metaobjects: 1, metaobjects_active: Number(row.status === 'ACTIVE') },
    result: parts,
    refusals: {
      metaobjects_handle: 'again',
      metaobjects_external_id: 'again',
      metaobjects_definition: 'again',
    },
  }
}
