/** Synonyms for searches of products: for each locale, sets of words that mean the same. */
import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { documentInLocale, type Value } from '../../core/document.ts'
import { irisUnder } from '../../core/iri.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { type Locale, localePattern } from '../../core/locale.ts'
import type { Answer, Context, EventedResource, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, uncommitted, updateOf } from '../../core/plan.ts'
import { declareProblems } from '../../core/problem.ts'
import { formats, validationProblems } from '../../core/problems/validation.ts'
import { type Shape, writable } from '../../core/schema.ts'
import { created, merged, render, type State, stateOf } from '../../core/state.ts'
import { throwViolations, violation } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { instantText, stampedRow, stamps as stampNames } from '../../db/columns.ts'
import { type RowOf, type Statement, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { deleteRow, save } from '../../db/write-steps.ts'
import { configOf, synonymOf, wordsOf } from '../products/search.ts'
import { searchSynonyms } from '../products/table.ts'
import { listing, listParameters, listRows } from '../shared/list.ts'
import { namesInUse, takenNamesStatement } from '../shared/names.ts'
import { operationsOf, readItem, writtenItem } from '../shared/ordinary-operations.ts'
import { notFound } from '../shared/problems.ts'
import { shortText, stamps } from '../shared/properties.ts'

export const maximumSets = 1000
export const maximumWords = 20

const localeText = z
  .string()
  .refine(
    (name) => localePattern.test(name),
    violation(validationProblems.pattern.at('', { format: formats.locale })),
  )
  .meta({ pattern: localePattern.source, examples: ['de-DE'] })

const word = shortText
  .max(64)
  .refine(
    (value) => /^\S+$/.test(value) && wordsOf(value).length === 1,
    violation(validationProblems.pattern.at('', { format: formats.word })),
  )
  .meta({ pattern: '^\\S+$', examples: ['sofa'] })

const shape = {
  type: 'SearchSynonyms',
  description: 'The words of a language that mean the same in searches of products.',
  collection: '/api/search_synonyms',
  readWith: 'products:read',
  properties: {
    locale: writable(
      localeText,
      'The locale of the searches, unique among the search synonyms. It has no effect until the tenant declares it.',
      {
        required: true,
        example: 'de-DE',
      },
    ),
    sets: writable(
      z.array(z.array(word).min(2).max(maximumWords)).max(maximumSets),
      'Sets of words. A search for one word of a set also finds the others.',
      { defaultValue: [], example: [['sofa', 'couch']] },
    ),
    ...stamps(),
  },
} satisfies Shape

const synonymsIri = irisUnder('/api/search_synonyms')

const problems = declareProblems('search_synonyms', {
  not_found: notFound('SYN-1001', 'document of search synonyms', 'document of search synonyms'),
  locale_taken: {
    code: 'SYN-1002',
    status: 409,
    description: 'Other search synonyms have this locale. Change those instead.',
    message: 'Search synonyms in the language {locale} already exist.',
    takenName: 'locale',
  },
})

type Parts = RowOf<typeof row>
const row = { id: z.string(), document: z.string(), ...stampedRow }

function documentOf(parts: Parts, locale: Locale): Value {
  const { version, createdAt, updatedAt } = parts
  return { ...documentInLocale(parts, shape, locale), version, createdAt, updatedAt }
}

const eventParts = z.object(row).omit(stampNames)

const kind: Kind = {
  name: 'search_synonyms',
  subject: 'search_synonyms',
  noun: 'A document of search synonyms',
  shape,
  document: (eventDocument, context, locale) =>
    documentOf(parseEventDocument(eventParts, eventDocument, context), locale),
}

const selected = sql`id, document, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects search synonyms by their ids. */
export function synonymsStatement(ids: readonly string[]): Statement<Parts> {
  return statement(row)`select ${selected} from search_synonyms
    where tenant_id = current_tenant() and id = any(${uuidArray(ids)})`
}

const list = listing(searchSynonyms, { orders: ['createdAt', 'updatedAt', 'id'], equal: ['locale'] })
const listQuery = listParameters(list, { locale: localeText.optional() })

const nameProblems = { locale: problems.locale_taken }

function rowOf({ tenant }: Context, id: string, state: State<typeof shape>) {
  const { locale, sets } = state.values
  const document = render(shape, { iri: synonymsIri(id), id }, state, tenant.locales)
  const lookup = {
    config: configOf(locale),
    sets: sets.map((words) => words.flatMap(wordsOf).map(synonymOf)),
  }
  return { id, locale, lookup, document }
}

async function createSynonyms(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const outcome = await write<Parts>(context, 'createSearchSynonyms', async (read) => {
    const { taken } = await read({ taken: takenNamesStatement(searchSynonyms, { locale: [body.locale] }) })
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    const state = created(shape, body, context.locale)
    const saved = rowOf(context, id, state)
    const parts = { id, document: saved.document, ...uncommitted }
    return {
      guard: [],
      underClock: save(searchSynonyms, [saved]),
      changed: [
        creationOf(kind, id, {
          document: JSON.stringify(parts),
          changes: differencesBetween({}, state.values),
        }),
      ],
      totals: { search_synonyms: 1 },
      result: parts,
    }
  })
  const location = synonymsIri(outcome.result.id)
  return { ...writtenItem(outcome, (parts) => documentOf(parts, context.locale)), location }
}

async function patchSynonyms(
  context: Context,
  { params: { id }, bodies: [body = {}] }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const outcome = await write<Parts>(context, 'patchSearchSynonyms', async (read) => {
    const { found, taken } = await read({
      found: synonymsStatement([id]),
      taken: takenNamesStatement(searchSynonyms, { locale: [body.locale] }, { except: id }),
    })
    const [current] = found
    if (!current) throw problems.not_found({ id })
    requireIfMatch(context, current.version)
    const before = stateOf(shape, current)
    const { state, violations } = merged(shape, before, body, context.locale)
    throwViolations([...violations, ...namesInUse(taken).reserveAll(body, nameProblems)])
    if (sameJson(before.values, state.values)) return { unchanged: current }
    const saved = rowOf(context, id, state)
    const after = { ...current, document: saved.document }
    return {
      guard: [{ kind: 'search_synonyms', id, version: current.version }],
      underClock: save(searchSynonyms, [saved]),
      changed: [
        updateOf(kind, current, {
          document: JSON.stringify(after),
          changes: differencesBetween(before.values, state.values),
        }),
      ],
      totals: {},
      result: after,
    }
  })
  return writtenItem(outcome, (parts) => documentOf(parts, context.locale))
}

async function deleteSynonyms(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteSearchSynonyms', async (read) => {
    const { found } = await read({ found: synonymsStatement([id]) })
    const [current] = found
    if (!current) throw problems.not_found({ id })
    requireIfMatch(context, current.version)
    return {
      guard: [{ kind: 'search_synonyms', id, version: current.version }],
      beforeClock: [deleteRow(searchSynonyms, id)],
      changed: [deletionOf(kind, current, JSON.stringify(current))],
      totals: { search_synonyms: -1 },
      result: null,
    }
  })
  return { kind: 'empty', replayed }
}

const { listOperation, createOperation, getOperation, patchOperation, deleteOperation } = operationsOf({
  shape,
  notFound: problems.not_found,
  list: '/api/search_synonyms',
  item: '/api/search_synonyms/{id}',
  readScope: 'products:read',
  writeScope: 'products:write',
})

export const resource: EventedResource = {
  shape,
  kind,
  problems: Object.values(problems),
  operations: [
    listOperation({
      name: 'listSearchSynonyms',
      summary: 'List search synonyms',
      query: listQuery,
      run: (context, { query }) =>
        listRows(context, query, {
          row,
          list,
          columns: selected,
          document: (parts) => documentOf(parts, context.locale),
        }),
    }),
    createOperation({
      name: 'createSearchSynonyms',
      summary: 'Create the search synonyms of a locale',
      description: `A locale has at most ${maximumSets} sets of ${maximumWords} words.`,
      body: { mode: 'create' },
      emits: ['search_synonyms/created'],
      run: createSynonyms,
    }),
    getOperation({
      name: 'getSearchSynonyms',
      summary: 'Read search synonyms',
      run: (context, { params: { id } }) =>
        readItem(
          context,
          synonymsStatement([id]),
          (parts) => documentOf(parts, context.locale),
          () => problems.not_found({ id }),
        ),
    }),
    patchOperation({
      name: 'patchSearchSynonyms',
      summary: 'Change search synonyms',
      body: { mode: 'patch' },
      emits: ['search_synonyms/updated'],
      run: patchSynonyms,
    }),
    deleteOperation({
      name: 'deleteSearchSynonyms',
      summary: 'Delete search synonyms',
      emits: ['search_synonyms/deleted'],
      run: deleteSynonyms,
    }),
  ],
}
