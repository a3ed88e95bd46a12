import { amount, table } from '../cli/output.ts'
import type { Row } from './columns.ts'
import type { Sheet } from './csv.ts'
import { type ImportedProduct, pricesOf, type Remark } from './product.ts'
import type { SourceRecord } from './records.ts'
import { addRejected, reasonText, recordsOf, rejectedFile } from './rejected.ts'

export type Counted = 'products' | 'variants' | 'prices'
export type Fate = 'created' | 'changed' | 'unchanged' | 'rejected'

const fates: readonly Fate[] = ['created', 'changed', 'unchanged', 'rejected']
const counted: readonly Counted[] = ['products', 'variants', 'prices']
/** Further remarks are only counted. */
const maximumRemarks = 50

/** The result of an import: counts, rejections, and values that were imported differently. */
export class Report {
  readonly counts: Record<Counted, Record<Fate, number>> = {
    products: { created: 0, changed: 0, unchanged: 0, rejected: 0 },
    variants: { created: 0, changed: 0, unchanged: 0, rejected: 0 },
    prices: { created: 0, changed: 0, unchanged: 0, rejected: 0 },
  }
  readonly refusals: Remark[] = []
  readonly notes: Remark[] = []
  /** New products of which the file does not say whether they are on sale. */
  undecided = 0
  /** Products of the catalogue that the import gave an external id. */
  linked = 0
  /** The records of products with a rejected part, with the reasons. */
  readonly #rejected = new Map<SourceRecord, readonly string[]>()
  /** All of the file. A product that has no fate yet is unread. */
  readonly #found = { rows: 0, products: 0, variants: 0, prices: 0 }
  #settledRows = 0
  #sheet: Sheet | null = null

  count(what: Counted, fate: Fate, many = 1): void {
    this.counts[what][fate] += many
  }

  /** Adds the rows of a handle, before anything is written. */
  find(rows: readonly Row[], sheet: Sheet, product: ImportedProduct | null): void {
    this.#sheet = sheet
    this.#found.rows += recordsOf(rows).length
    this.#found.products += 1
    this.#found.variants += product?.variants.length ?? 0
    this.#found.prices += product ? pricesOf(product) : 0
  }

  /** Counts the product of some rows. */
  settle(rows: readonly Row[], fate: Fate): void {
    this.count('products', fate)
    this.#settledRows += recordsOf(rows).length
  }

  /** Reports rejected parts of a product. */
  reject(rows: readonly Row[], remarks: readonly Remark[]): void {
    if (remarks.length === 0) return
    this.refusals.push(...remarks)
    addRejected(this.#rejected, rows, remarks)
  }

  /** Rejects a product with its variants and prices. */
  rejectProduct(product: ImportedProduct, remarks: readonly Remark[]): void {
    this.settle(product.rows, 'rejected')
    this.count('variants', 'rejected', product.variants.length)
    this.count('prices', 'rejected', pricesOf(product))
    this.reject(product.rows, remarks)
  }

  /** A file of all rows of each product with a rejected part. Null without any. */
  rejectedFile(): string | null {
    return this.#sheet && this.#rejected.size > 0 ? rejectedFile(this.#sheet, this.#rejected) : null
  }

  /** The table of counts, then rejections and notes by line. */
  text(): string {
    const rejectedRows = [...this.#rejected.values()].filter((reasons) => reasons.length > 0).length
    const rows = counted.map((what) => {
      const numbers = fates.map((fate) => this.counts[what][fate])
      const read = numbers.reduce((sum, number) => sum + number, 0)
      return [what, read, ...numbers, this.#found[what] - read]
    })
    const ignored = [...(this.#sheet?.ignored ?? [])].join(', ')
    return [
      table([
        ['', 'read', ...fates, 'unread'],
        ['rows', this.#settledRows, '', '', '', rejectedRows, this.#found.rows - this.#settledRows],
        ...rows,
      ]),
      ...(ignored === '' ? [] : ['', `Columns that are not imported: ${ignored}`]),
      ...listed('Rejected', this.refusals),
      ...listed('Noted', this.notes),
      ...(this.undecided > 0 ? ['', draftsOf(this.undecided)] : []),
      ...(this.linked > 0
        ? ['', `External ids were given to ${amount(this.linked, 'product')} of the catalogue without one.`]
        : []),
    ].join('\n')
  }
}

const draftsOf = (count: number) =>
  count === 1
    ? 'A new product is a draft, because no column says whether it is published.'
    : `${count} new products are drafts, because no column says whether they are published.`

function listed(title: string, remarks: readonly Remark[]): string[] {
  if (remarks.length === 0) return []
  const sorted = remarks.toSorted((a, b) => a.line - b.line)
  const shown = sorted.slice(0, maximumRemarks)
  const width = String(shown.at(-1)?.line).length
  const rows = shown.map(({ line, handle, ...fault }) => [
    `  line ${String(line).padStart(width)}`,
    handle || '–',
    reasonText(fault),
  ])
  const more = sorted.length - shown.length
  return ['', `${title}:`, table(rows), ...(more > 0 ? [`  and ${more} more`] : [])]
}
