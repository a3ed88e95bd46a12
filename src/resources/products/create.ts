import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { refuse } from '../../core/violations.ts'
import { type Stamps, write } from '../../core/write.ts'
import type { Statement } from '../../db/client.ts'
import { uuids } from '../../db/rows.ts'
import { assembleCategories, categoryStatements, levelsOf } from '../categories/index.ts'
import { referencesIn, referencesStatement } from '../content/custom-fields/index.ts'
import {
  demandChoice,
  entryGuards,
  existingCollections,
  readingRules,
  resortStatement,
  rulesGuard,
  type Sorting,
  sortingStatements,
  sortingTotals,
  type TenantRules,
  undecided,
  writtenCollections,
} from './collections/index.ts'
import { askedOfVariants } from './continuation.ts'
import { type ProductParts, productDocument } from './document.ts'
import { type Draft, draftOf } from './draft.ts'
import { conflictsOf, derivedHandle, namesTaken, takenStatement, wantedOf } from './draft-names.ts'
import { insertStatements } from './insert.ts'
import { productIri } from './iri.ts'
import { refusals } from './names.ts'
import { productProblems } from './problems.ts'
import { embeddedOnItem, onItem } from './room.ts'
import { stampedProduct } from './stamped.ts'
import type { InlineVariant } from './variants/index.ts'

/** Creates one product or up to fifty, each with its options, values and variants, all or nothing. */
export async function createProducts(context: Context, { bodies, bulk, query }: Input): Promise<Answer> {
  const ids = bodies.map(() => uuidv7())
  const expand = levelsOf(query.expand)
  let tries = 0
  const { result, stamps, replayed } = await write<Json>(context, 'createProducts', async (read) => {
    tries += 1
    const wanted = bodies.map((body) => wantedOf(body))
    const categoryIds = [...new Set(wanted.flatMap((each) => each.categoryIds))]
    const reading = readingRules(context.tenant)
    const [taken, referred, [rulesRow], collectionRows, ...categoryRows] = (await read(
      takenStatement(wanted),
      referencesStatement(bodies.flatMap(writtenFieldsOf)),
      reading.statement,
      existingCollections(bodies.flatMap((body) => writtenCollections(body) ?? [])),
      ...categoryStatements(sql`select unnest(${uuids(categoryIds)})`, {
        locale: context.locale,
        expand,
        translations: true,
        embedded: true,
      }),
    )) as [
      { kind: string; value: string }[],
      unknown[],
      Parameters<typeof reading.rules>,
      { id: string }[],
      ...unknown[][],
    ]
    const references = referencesIn(referred)
    const rules = reading.rules(rulesRow)
    for (const body of bodies) demandChoice(context, writtenCollections(body), [], rules)
    const categories = assembleCategories(categoryRows, { locale: context.locale, expand })
    const collections = new Set(collectionRows.map((each) => each.id))
    const names = Map.groupBy(taken, (each) => each.kind)
    const isTaken = (kind: string) => new Set((names.get(kind) ?? []).map((each) => each.value))
    const live = namesTaken(isTaken)

    const violations: Violation[] = []
    const conflicts: Violation[] = []
    const drafts = bodies.map((body, index) => {
      const at = (path: string) => (bulk ? `[${index}].${path}` : path)
      // An archived product holds no name that a live one could miss.
      const seen = body.status === 'ARCHIVED' ? namesTaken(() => new Set()) : live
      const { title, handle: given } = wanted[index]!
      if (given !== null && seen.handle.has(given))
        conflicts.push(productProblems.handle_taken.at(at('handle'), { handle: given }))
      const handle = given ?? derivedHandle(title, seen.handle, ids[index]!, tries > 2)
      seen.handle.add(handle)
      const draft = draftOf(
        context,
        ids[index]!,
        { ...body, handle },
        { categories, collections, references, rules },
        at,
      )
      violations.push(...draft.violations)
      conflicts.push(...conflictsOf(draft.draft, seen, at))
      return draft.draft
    })
    refuse(violations)
    refuse(conflicts)
    const sortings = drafts.map(sortingOf)
    return {
      guard: [rulesGuard(rules), ...drafts.flatMap((each) => entryGuards([], each.collections, rules))],
      statements: [
        ...insertStatements(context, drafts),
        ...sortingStatements(sortings),
        ...resortStatements(context, rules, drafts),
      ],
      changed: drafts.flatMap((each) => each.events),
      totals: {
        ...sortingTotals(sortings),
        products: drafts.filter((each) => each.status !== 'ARCHIVED').length,
        option_values: drafts.flatMap((each) => each.options.flatMap((option) => option.values)).length,
      },
      result: drafts.map(({ state: _, events: __, categoryIds: ___, ...parts }) => ({
        ...parts,
        variants: parts.variants.slice(0, embeddedOnItem),
      })) as unknown as Json,
      refusals,
    }
  })
  const asked = askedOfVariants(context.url, query)
  return answer(context, asked, result as unknown as ProductParts[], stamps, bulk, replayed)
}

function answer(
  context: Context,
  asked: string,
  made: readonly ProductParts[],
  stamps: Stamps,
  bulk: boolean,
  replayed: boolean,
): Answer {
  const stamped = made.map((each) => stampedProduct(each, stamps))
  const documents = stamped.map((each) => productDocument(each, context.locale, null, onItem, asked))
  if (bulk) return { kind: 'collection', members: documents, total: documents.length, replayed }
  return { kind: 'item', document: documents[0]!, version: 1, location: productIri(made[0]!.id), replayed }
}

/** The properties `fields` of a product and of its variants. */
function writtenFieldsOf({ fields, variants: inline }: Readonly<Record<string, Json>>): (Json | undefined)[] {
  return [fields, ...((inline as InlineVariant[] | undefined | null) ?? []).map((each) => each.fields)]
}

function sortingOf({ id, status, collections }: Draft): Sorting {
  const shown = status !== 'ARCHIVED'
  return { productId: id, before: [], after: collections, shownBefore: shown, shownAfter: shown }
}

/** Looks again at new products where a rule turns on the very time at which they are created. */
function resortStatements(context: Context, rules: TenantRules, drafts: readonly Draft[]): Statement[] {
  const ids = undecided(rules, context.now)
  const [first] = drafts.map((each) => each.id).toSorted()
  return ids.length > 0 && first ? [resortStatement(context, ids, first)] : []
}
