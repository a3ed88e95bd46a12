import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { cut } from '../../../core/cut.ts'
import { freeHandle, handleCandidates, handleOf, ownHandle } from '../../../core/handle.ts'
import type { Json } from '../../../core/json.ts'
import { localeOf } from '../../../core/locale.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { changesBetween } from '../../../core/patch.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import { created } from '../../../core/state.ts'
import { refuse } from '../../../core/violations.ts'
import { type Plan, write } from '../../../core/write.ts'
import type { Session } from '../../../db/client.ts'
import { insertRows } from '../../../db/rows.ts'
import { nameConflicts, type Taken } from '../../taken-names.ts'
import { type DefinitionParts, definitionOf, definitionStatement } from '../definitions/index.ts'
import { metaobjectDefinitionIri } from '../definitions/iri.ts'
import { possibleReferences, writtenFields } from '../types/index.ts'
import { displayNameOf, type FieldValues, metaobjectEventDocument, outlineOf } from './document.ts'
import { metaobjectIri } from './iri.ts'
import { takenStatement } from './names.ts'
import { metaobjectProblems } from './problems.ts'
import { changeView, incompleteViolations, partsOf, rowOf, writtenAnswer } from './rows.ts'
import { metaobject as shape } from './schema.ts'
import { assembleMetaobjects, type Existing, existingStatement, metaobjectStatements } from './store.ts'
import { metaobjects } from './table.ts'
import { mergedValues } from './values.ts'

type Body = Readonly<Record<string, Json>>

const nothing: FieldValues = { fields: {}, translations: {} }
const standardHandle = 'entry'

/** Creates a metaobject. */
export async function createMetaobject(context: Context, { bodies }: Input): Promise<Answer> {
  const id = uuidv7()
  const [body = {}] = bodies
  let attempt = 0
  const written = await write<Json>(context, 'createMetaobject', (read) => {
    attempt += 1
    return plan(context, read, { id, body, crowded: attempt > 2 })
  })
  const answer = writtenAnswer(context, written)
  return { ...answer, location: metaobjectIri((written.result as { id: string }).id) }
}

type Wanted = { readonly id: string; readonly body: Body; readonly crowded: boolean }

async function plan(
  context: Context,
  read: Session['read'],
  { id, body, crowded }: Wanted,
): Promise<Plan<Json>> {
  const definitionId = String(body.definition)
  const written = writtenFields(body.fields)
  const texts = written.entries.flatMap(({ value }) => value ?? [])
  const ids = possibleReferences(texts)
  // Which of the values is the name, only the definition tells.
  const bases = typeof body.handle === 'string' ? [] : [...new Set([standardHandle, ...texts.map(baseOf)])]
  const handles =
    typeof body.handle === 'string' ? [body.handle] : bases.flatMap((base) => handleCandidates(base))
  const [definitions, taken, existing, ...rows] = (await read(
    definitionStatement(sql`${definitionId}::uuid`),
    takenStatement({
      definitionId: sql`${definitionId}::uuid`,
      handles,
      externalId: body.externalId,
      except: id,
    }),
    existingStatement(ids, null),
    ...metaobjectStatements(sql`select null::uuid`, ids),
  )) as [DefinitionParts[], Taken[], Existing[], ...unknown[][]]
  if (!definitions[0]) {
    const missing = { iri: metaobjectDefinitionIri(definitionId) }
    refuse([validationProblems.unknown_reference.at('definition', missing)])
  }
  const definition = definitionOf(definitions[0]!)
  const { values, violations } = mergedValues(definition, nothing, written, existing, {
    locale: context.locale,
    fallbacks: undefined,
  })
  const { status = 'DRAFT' } = body
  refuse(
    violations.length > 0
      ? violations
      : status === 'ACTIVE'
        ? incompleteViolations(definition, values, null, 'status')
        : [],
  )
  refuse(nameConflicts(body, taken, metaobjectProblems))
  const handle = body.handle ?? derivedHandle()
  const state = created(
    shape,
    { ...body, handle, definition: metaobjectDefinitionIri(definitionId) },
    context.locale,
  )
  const row = rowOf(context, { id, definition, state, values })
  const parts = partsOf(
    row,
    definition,
    { version: 0, createdAt: '', updatedAt: '' },
    assembleMetaobjects(rows),
  )
  return {
    guard: [{ kind: 'metaobject_definitions', id: definitionId, version: definition.version }],
    statements: insertRows(metaobjects, [row]),
    changed: [
      {
        kind: 'metaobjects',
        id,
        version: 1,
        action: 'created',
        topic: 'metaobject/created',
        document: metaobjectEventDocument(parts),
        changes: changesBetween({}, changeView(state, values, context)),
      },
    ],
    totals: { metaobjects: 1, metaobjects_active: Number(row.status === 'ACTIVE') },
    result: parts as unknown as Json,
    refusals: {
      metaobjects_handle: 'again',
      metaobjects_external_id: 'again',
      metaobjects_definition: 'again',
    },
  }

  function derivedHandle(): string {
    const locale = localeOf(context.tenant.locales, context.locale.asked)
    const name = displayNameOf({ ...values, outline: outlineOf(definition) }, locale)
    const base = name ? baseOf(name.value) : standardHandle
    const others = new Set(taken.flatMap(({ kind, value }) => (kind === 'handle' ? [value] : [])))
    return crowded ? ownHandle(base, id) : freeHandle(base, others, id)
  }
}

/** The handle that a text would give: its beginning is enough. */
function baseOf(text: string): string {
  return handleOf(cut(text, 255), standardHandle)
}
