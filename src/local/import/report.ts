import type { Violation } from '../cli/http.ts'
import { amount, table } from '../cli/output.ts'
import { type Column, columnNames, type Row } from './columns.ts'
import { reasonColumn, type Sheet } from './csv.ts'
import { type ImportedProduct, type ImportedVariant, type Remark, remarkOn } from './product.ts'
import { type Fault, quoted, type SourceRecord } from './records.ts'

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
  readonly #rejected = new Map<SourceRecord, string[]>()
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
    for (const record of recordsOf(rows)) {
      const reasons = remarks
        .filter(({ line }) => line === record.line)
        .map(({ column, message }) => reasonText({ column, message }))
      this.#rejected.set(record, [...(this.#rejected.get(record) ?? []), ...reasons])
    }
  }

  /** Rejects a product with its variants and prices. */
  rejectProduct(product: ImportedProduct, remarks: readonly Remark[]): void {
    this.settle(product.rows, 'rejected')
    this.count('variants', 'rejected', product.variants.length)
    this.count('prices', 'rejected', pricesOf(product))
    this.reject(product.rows, remarks)
  }

  /** A file of all rows of each product with a rejected part. Its first column has the reasons. Null without any. */
  rejectedFile(): string | null {
    if (!this.#sheet || this.#rejected.size === 0) return null
    const { header, delimiter } = this.#sheet
    const place = header.indexOf(reasonColumn)
    const line = (first: string, cells: readonly string[]) => {
      const rest = place < 0 ? cells : cells.toSpliced(place, 1)
      return `${[first, ...rest].map(quoted).join(delimiter)}\n`
    }
    const rows = [...this.#rejected].toSorted(([a], [b]) => a.line - b.line)
    const whole = ({ cells }: SourceRecord) => [...cells, ...header.slice(cells.length).map(() => '')]
    const lines = rows.map(([record, reasons]) => line(reasons.join(' '), whole(record)))
    // With a byte order mark, spreadsheets read UTF-8.
    return `\uFEFF${line(reasonColumn, header)}${lines.join('')}`
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

/** The records of rows. A record with several pictures has a row for each. */
const recordsOf = (rows: readonly Row[]) => [...new Set(rows.map(({ source }) => source))]

export const pricesOf = ({ variants }: ImportedProduct) =>
  variants.filter(({ price }) => price !== null).length

/** The columns of properties that have another name. */
const otherNames: Readonly<Record<string, Column>> = {
  media: 'imageSrc',
  'seo.title': 'seoTitle',
  'seo.description': 'seoDescription',
  weight: 'grams',
  optionValues: 'option1Value',
  amount: 'price',
  compareAtAmount: 'compareAt',
}

/** The violations of a product's body, each on the line of the variant that its path names, or of the given one. */
export function remarksOn(
  { handle, line, rows, variants }: ImportedProduct,
  violations: readonly Violation[],
  given?: ImportedVariant,
): Remark[] {
  return violations.map(({ propertyPath, message }) => {
    const [whole = '', place] = /^variants\[(\d+)\]\.?(?:saleOffers\[0\]\.?)?/.exec(propertyPath) ?? []
    const path = propertyPath.slice(whole.length)
    const variant = place === undefined ? given : variants[Number(place)]
    const property = path in otherNames ? path : path.replace(/[[.].*/, '')
    const column = otherNames[property] ?? columnNames.find((name) => name === property)
    const row = rows.find((row) => row.line === (variant?.line ?? line))
    if (row && (column || path === '')) return remarkOn(row, handle, message, column)
    return { line: variant?.line ?? line, handle, message: [path, message].filter(Boolean).join(': ') }
  })
}

function reasonText({ column, value, message }: Fault): string {
  const text = value ? ` "${shortened(value)}"` : ''
  return column === undefined ? message : `${column}${text}: ${message}`
}

const shortened = (value: string) => {
  const line = value.replaceAll('\n', '⏎')
  return line.length > 40 ? `${line.slice(0, 39)}…` : line
}

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
