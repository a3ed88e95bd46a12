import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import { assertStored, parseStored } from '../../db/row-types.ts'
import { eventOption, eventValue } from '../product-options/document.ts'
import type { Embedding } from '../products/document.ts'
import { eventVariant } from '../variants/document.ts'
import { bounds, type EventRow } from './event-sql.ts'

/**
 * Reconstructs the options, values and variants that products embedded at the time of their events. An event stores only its own
 * resource. A created product shows the children that its commit created after it. The children of a product at a sequence are those whose last move until then is not a removal, in the order that results
 * from replaying these moves. The document of a child is that of its last event until then.
 */

/** A child after one of its events. */
type ChildVersion = z.infer<typeof childVersion>
const childVersion = z.object({
  ...columnsOf(z.string(), 'id', 'createdAt', 'updatedAt'),
  ...columnsOf(z.number(), 'sequence', 'version'),
  /** Bytes of its document. */
  size: z.number(),
  /** JSON of the kind that its table stores, not a text, which would be escaped twice. Null if all documents exceed the limit of this read. */
  document: z.unknown(),
})

/**
 * A child that moved to a position among its siblings, or left them (null). Moves of one request are final positions: a request
 * moves children of a product in one write only, and a restore, whose writes have one request id, ends with the positions of the file.
 */
type Move = z.infer<typeof move>
const move = z.object({
  ...columnsOf(z.string(), 'productId', 'kind', 'id', 'requestId'),
  sequence: z.number(),
  at: z.number().nullable(),
  /** The option of a new value. */
  option: z.string().nullable(),
})

/** The history of several products, each list in the order of the sequences. */
type HistoryRows = RowOf<typeof historyColumns>
const historyColumns = {
  moves: z.array(move),
  versions: z.array(childVersion),
  /** The number of variants at the last sequence of an event, for products whose variants have too many moves to be read. */
  variantCounts: z.array(z.object(columnsOf(z.number(), 'sequence', 'count'))),
}

/**
 * Reads the history for some events (`sequences`: an array). Skips variants that cannot have been among the first `maxVariants` of a
 * product. Reads documents only if all together fit one response of the database; otherwise it returns their sizes.
 */
export function productHistoryQuery(sequences: SQL, maxVariants: number): DatabaseQuery<ProductHistory> {
  const rows = statement(historyColumns)`select moves, versions, variant_counts as "variantCounts"
    from read_product_history(${sequences}, ${maxVariants}::int, ${bounds.moves}::int, ${bounds.statesAtOnce}::bigint)`
  return mapQuery(combineQueries({ rows }), ({ rows: [row] }) => {
    const { moves = [], versions = [], variantCounts = [] } = row ?? {}
    return new ProductHistory({ moves, versions, variantCounts }, maxVariants)
  })
}

/** Reads the documents of versions for which `productHistoryQuery` returned only the sizes. */
export function childDocuments(
  sequences: readonly number[],
): Statement<Pick<ChildVersion, 'sequence' | 'document'>> {
  return statement({
    sequence: childVersion.shape.sequence,
    document: childVersion.shape.document,
  })`select sequence::float8 as sequence, document::json as document from events
    where tenant_id = current_tenant() and sequence = any(${`{${sequences.join(',')}}`}::bigint[])`
}

/** A version of a child and its position among its siblings. */
type Placed = { readonly version: ChildVersion; readonly position: number }

const optionsKind = 'product_options'
const variantsKind = 'variants'

/** The children of products at the sequences of events. Fastest if the sequences ascend. */
export class ProductHistory {
  readonly #movesByProduct: ReadonlyMap<string, readonly Move[]>
  readonly #versionsByChild: ReadonlyMap<string, readonly ChildVersion[]>
  readonly #variantCounts: ReadonlyMap<number, number>
  readonly #documents: Map<number, ChildVersion['document']>
  readonly #maxVariants: number
  readonly #orders = new Map<string, ChildOrder>()

  constructor({ moves, versions, variantCounts }: HistoryRows, maxVariants: number) {
    this.#movesByProduct = Map.groupBy(moves, ({ productId }) => productId)
    this.#versionsByChild = Map.groupBy(versions, ({ id }) => id)
    this.#variantCounts = new Map(variantCounts.map(({ sequence, count }) => [sequence, count]))
    this.#documents = new Map(versions.map(({ sequence, document }) => [sequence, document]))
    this.#maxVariants = maxVariants
  }

  /** False if documents of `versionsNeeded()` must be read and added. */
  get hasAllDocuments(): boolean {
    return this.#documents.values().every((document) => document !== null)
  }

  /** Adds the documents of versions that were read without them. */
  addDocuments(rows: readonly Pick<ChildVersion, 'sequence' | 'document'>[]): void {
    for (const { sequence, document } of rows) this.#documents.set(sequence, document)
  }

  /** The parts that a product embedded at a sequence. */
  embeddingAt(productId: string, sequence: number): Embedding {
    const children = this.#childrenAt(productId, sequence)
    const valuesIn = (values: readonly Placed[], areOmitted: boolean) => ({
      values: areOmitted ? [] : values.flatMap((value) => this.#partsOf(eventValue, value)),
      valuesTotal: values.length,
    })
    return {
      options: (only) =>
        children.options.flatMap((placed) => {
          const values = (children.valuesByOption.get(placed.version.id) ?? []).filter(
            ({ version }) => only?.includes(version.id) ?? true,
          )
          const embedded = valuesIn(values, !only && children.areValuesOmitted)
          return this.#partsOf(eventOption, placed).map((option) => ({ ...option, ...embedded }))
        }),
      valuesOf: (optionId) => {
        const values = this.#placedIn(optionId, productId, sequence)
        return valuesIn(values, areTooLarge(values))
      },
      variants: () => children.variants.flatMap((placed) => this.#partsOf(eventVariant, placed)),
      variantsTotal: () => children.variantCount,
    }
  }

  /** The versions that an event's document shows in addition to its own. */
  versionsNeeded({
    kind,
    resourceId,
    ownerId,
    lastSequence: sequence,
    document,
  }: EventRow): readonly ChildVersion[] {
    if (document === null) return []
    const productId = ownerId ?? resourceId
    const versionsOf = (placed: readonly Placed[]) => placed.map(({ version }) => version)
    if (kind === optionsKind) {
      const values = this.#placedIn(resourceId, productId, sequence)
      return areTooLarge(values) ? [] : versionsOf(values)
    }
    const { options, valuesByOption, areValuesOmitted, variants } = this.#childrenAt(productId, sequence)
    const values = versionsOf([...valuesByOption.values()].flat())
    if (kind === 'products')
      return [...versionsOf(options), ...(areValuesOmitted ? [] : values), ...versionsOf(variants)]
    if (kind !== variantsKind) return []
    const { optionValueIds } = parseStored(eventVariant, document)
    return [...versionsOf(options), ...values.filter(({ id }) => optionValueIds.includes(id))]
  }

  /** The children of a product within the limits of an event. If the values exceed theirs, there are no variants either. */
  #childrenAt(productId: string, sequence: number) {
    const placedIn = (group: string) => this.#placedIn(group, productId, sequence)
    const options = placedIn(optionsKind)
    const optionIds = this.#orderAt(productId, sequence).ids(optionsKind)
    const valuesByOption = new Map(optionIds.map((id) => [id, placedIn(id)]))
    const areValuesOmitted = areTooLarge([...valuesByOption.values()].flat())
    return {
      options,
      valuesByOption,
      areValuesOmitted,
      variants: areValuesOmitted
        ? []
        : firstWithin(bounds.variants, placedIn(variantsKind).slice(0, this.#maxVariants)),
      variantCount:
        this.#variantCounts.get(sequence) ?? this.#orderAt(productId, sequence).ids(variantsKind).length,
    }
  }

  /** The children of a group (all options, all variants, or the values of an option) in their order. */
  #placedIn(group: string, productId: string, sequence: number): readonly Placed[] {
    return this.#orderAt(productId, sequence)
      .ids(group)
      .flatMap((id, position) => {
        const version = this.#versionsByChild.get(id)?.findLast((each) => each.sequence <= sequence)
        return version ? [{ version, position }] : []
      })
  }

  #orderAt(productId: string, sequence: number): ChildOrder {
    let order = this.#orders.get(productId)
    if (!order || order.sequence > sequence) order = new ChildOrder(this.#movesByProduct.get(productId) ?? [])
    this.#orders.set(productId, order)
    order.replayUpTo(sequence)
    return order
  }

  #partsOf<Parts>(schema: z.ZodType<Parts>, { version: child, position }: Placed) {
    const document = this.#documents.get(child.sequence)
    if (!document) return []
    assertStored(schema, document)
    const { version, createdAt, updatedAt } = child
    return [{ ...document, version, createdAt, updatedAt, position }]
  }
}

/** True if option values exceed the limit of one event. */
function areTooLarge(values: readonly Placed[]): boolean {
  return values.reduce((sum, { version }) => sum + version.size, 0) > bounds.values
}

/** The first versions that fit a number of bytes. */
function firstWithin(maxBytes: number, placed: readonly Placed[]): readonly Placed[] {
  let size = 0
  const end = placed.findIndex(({ version }) => {
    size += version.size
    return size > maxBytes
  })
  return placed.slice(0, end < 0 ? placed.length : end)
}

/** The order of a product's options, of each option's values, and of its variants. Replays the moves one by one. */
class ChildOrder {
  sequence = 0
  readonly #moves: readonly Move[]
  #next = 0
  readonly #groups = new Map<string, string[]>()
  readonly #groupOf = new Map<string, string>()

  constructor(moves: readonly Move[]) {
    this.#moves = moves
  }

  ids(group: string): readonly string[] {
    return this.#groups.get(group) ?? []
  }

  replayUpTo(to: number): void {
    this.sequence = to
    for (
      let first = this.#moves[this.#next];
      first && first.sequence <= to;
      first = this.#moves[this.#next]
    ) {
      // The moves of one write contain final positions. Inserting them from the front displaces none of them.
      const { requestId } = first
      const moves: Move[] = []
      for (let move: Move | undefined = first; move?.requestId === requestId && move.sequence <= to; ) {
        moves.push(move)
        this.#next += 1
        move = this.#moves[this.#next]
      }
      for (const move of moves) this.#remove(move.id)
      moves.sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
      for (const move of moves) if (move.at !== null) this.#insert(move, move.at)
    }
  }

  #remove(id: string): void {
    const group = this.#groups.get(this.#groupOf.get(id) ?? '')
    const at = group?.indexOf(id) ?? -1
    if (at >= 0) group?.splice(at, 1)
  }

  #insert(move: Move, at: number): void {
    const name =
      this.#groupOf.get(move.id) ?? move.option?.slice(move.option.lastIndexOf('/') + 1) ?? move.kind
    this.#groupOf.set(move.id, name)
    const group = this.#groups.get(name) ?? []
    this.#groups.set(name, group)
    group.splice(at, 0, move.id)
  }
}
