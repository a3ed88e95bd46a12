import {
  encodingOf,
  type RecordFile,
  readRecords,
  type SourceRecord,
  textOf,
  UnreadableFile,
} from './records.ts'

/** How a file writes its values. */
export type Format = {
  /** Amounts and weights have a decimal comma. */
  readonly decimalComma?: boolean
}

/** A file with the names of its columns. */
export type Sheet = Pick<RecordFile, 'header' | 'delimiter'> & {
  /** Columns with values that are not imported. */
  readonly ignored: Set<string>
}

/** One record as cells by column, with the line of the file on which it begins (the header is line 1). */
export type Row = Pick<SourceRecord, 'line' | 'fault'> & {
  readonly cells: ReadonlyMap<Column, string>
  readonly source: SourceRecord
  /** The names of the columns in the file. */
  readonly nameOf: ReadonlyMap<Column, string>
}

/** The neighbouring rows of one handle, with the characters of the file that are read until then. */
export type RowGroup = {
  readonly sheet: Sheet
  readonly handle: string
  readonly rows: Row[]
  read: number
}

/** The rows of a file, grouped by handle, never holding more than one product's rows. */
export async function* readGroups(path: string, format: Format & { encoding?: string } = {}) {
  const encoding = format.encoding ?? (await encodingOf(path)).name
  yield* groupRows(textOf(path, encoding), format)
}

/**
 * Groups CSV text into products. A row without a handle is a group of its own, with handle '', so that its line is reported.
 */
export async function* groupRows(
  text: AsyncIterable<string> | Iterable<string>,
  format: Format = {},
): AsyncGenerator<RowGroup> {
  let group: RowGroup | null = null
  const file = await readRecords(text, (header) => readHeader(header).indexOf('handle'))
  const columns = readHeader(file.header)
  if (!columns.includes('handle')) {
    const first = file.header.join(file.delimiter).slice(0, 80)
    throw new UnreadableFile(
      `The first line has no column "Handle", as a Shopify product export has: ${first}`,
    )
  }
  const nameOf = new Map(
    columns.flatMap((column, place) => (column ? [[column, file.header[place] ?? ''] as const] : [])),
  )
  const sheet: Sheet = { ...file, ignored: new Set() }
  for await (const record of file.records) {
    const row = { ...record, source: record, nameOf, cells: cellsOf(record, columns, format) }
    noteIgnored(record, columns, sheet)
    const handle = cell(row, 'handle') ?? ''
    if (group && group.handle === handle && handle !== '') {
      group.rows.push(row)
      group.read = file.read()
      continue
    }
    if (group) yield group
    group = { sheet, handle, rows: [row], read: file.read() }
  }
  if (group) yield { ...group, read: file.read() }
}

function cellsOf(
  { cells }: SourceRecord,
  columns: readonly (Column | null)[],
  { decimalComma }: Format,
): Map<Column, string> {
  const values = new Map<Column, string>()
  for (const [place, column] of columns.entries()) {
    if (!column) continue
    const value = cellValue(column, cells[place] ?? '')
    values.set(column, decimalComma && isAmount(column) ? withPoint(value) : value)
  }
  return values
}

function noteIgnored({ cells }: SourceRecord, columns: readonly (Column | null)[], sheet: Sheet): void {
  for (const [place, name] of sheet.header.entries())
    if (!columns[place] && cells[place]?.trim() && name !== reasonColumn)
      sheet.ignored.add(name || '(without a name)')
}

/** The first column of a file of rejected rows. */
export const reasonColumn = 'Rejected because'

const isAmount = (column: Column) => column === 'price' || column === 'compareAt' || column === 'grams'

/** `1.299,00` as `1299.00`. Other texts remain. */
function withPoint(text: string): string {
  if (!/^\d+(?:,\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(text)) return text
  return text.replaceAll('.', '').replace(',', '.')
}

/**
 * The columns that are imported, each under every name that Shopify has given it. Names are compared without case,
 * blanks and punctuation, so `Variant Compare At Price`, `Compare At Price` and `Compare-at price` need two entries.
 */
const names = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  description: ['Body (HTML)', 'Body HTML', 'Description'],
  vendor: ['Vendor'],
  productType: ['Type', 'Product Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
  sku: ['Variant SKU', 'SKU'],
  barcode: ['Variant Barcode', 'Barcode'],
  grams: ['Variant Grams', 'Grams', 'Weight value (grams)'],
  weightUnit: ['Variant Weight Unit', 'Weight unit for display'],
  price: ['Variant Price', 'Price'],
  compareAt: ['Variant Compare At Price', 'Compare At Price'],
  imageSrc: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  imageAlt: ['Image Alt Text'],
  variantImage: ['Variant Image', 'Variant image URL'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
} as const

export type Column = keyof typeof names

const columnByName = new Map(
  Object.entries(names).flatMap(([column, spellings]) =>
    spellings.map((spelling) => [plain(spelling), column as Column] as const),
  ),
)

/** The column at each place of the header. Null for a column that is not imported or is repeated. */
function readHeader(header: readonly string[]): (Column | null)[] {
  const seen = new Set<Column>()
  return header.map((name) => {
    const column = columnByName.get(plain(name))
    if (!column || seen.has(column)) return null
    seen.add(column)
    return column
  })
}

/** Columns in which other exports put an apostrophe before each number, so that spreadsheets keep its zeros. */
const isNumeric = (column: Column) => column === 'sku' || column === 'barcode' || column === 'grams'

/**
 * The value of a cell, trimmed. An apostrophe before what a spreadsheet would compute belongs to the file: /admin writes it so that
 * the spreadsheet shows the value as text.
 */
function cellValue(column: Column, written: string): string {
  const text = written.trim()
  return (isNumeric(column) ? /^'/ : /^'+[=+\-@\t\n]/).test(text) ? text.slice(1) : text
}

/** The trimmed cell; '' when it is blank, undefined when the file has no such column. */
export function cell(row: Pick<Row, 'cells'>, column: Column): string | undefined {
  return row.cells.get(column)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** A decimal as the service accepts it. */
export const plainDecimal = /^(\d+)(?:\.(\d+))?$/

/**
 * An amount as the service accepts it: a fraction of zeros only is removed, because Shopify writes `1990.00`
 * for currencies without decimals too. Whatever is no plain decimal is left for the service to refuse.
 */
export function tidyAmount(text: string): string {
  return text.replace(/^(\d+)\.0*$/, '$1')
}

/** Below, at or above zero as `a` is less than, equal to or more than `b`; null when one is no plain decimal. */
export function compareAmounts(a: string, b: string): number | null {
  const [left, right] = [plainDecimal.exec(a), plainDecimal.exec(b)]
  if (!left || !right) return null
  const decimals = Math.max(left[2]?.length ?? 0, right[2]?.length ?? 0)
  const scaled = ([, whole = '', fraction = '']: RegExpExecArray) =>
    BigInt(whole + fraction.padEnd(decimals, '0'))
  const [l, r] = [scaled(left), scaled(right)]
  return l < r ? -1 : l > r ? 1 : 0
}

/** True when both name the same sum, or neither names one. */
export function sameAmount(a: string | null | undefined, b: string | null | undefined): boolean {
  if (!a || !b) return !a && !b
  return a === b || compareAmounts(a, b) === 0
}

const gramsIn: Record<string, number> = { g: 1, kg: 1_000, oz: 28.349523125, lb: 453.59237 }

/**
 * A weight in its display unit, from Shopify's grams. Exports round to whole grams, so the shortest decimal that is
 * less than half a gram off is taken: 454 g shown in pounds is 1 lb. Zero means "not weighed": null. Undefined when
 * the cell is no number.
 */
export function weightFromGrams(
  grams: string,
  displayUnit: string,
): { value: number; unit: string } | null | undefined {
  if (grams === '') return null
  if (!/^\d+(\.\d+)?$/.test(grams)) return undefined
  const mass = Number(grams)
  if (mass === 0) return null
  const unit = displayUnit.toLowerCase()
  const unitGrams = gramsIn[unit]
  if (!unitGrams || unit === 'g') return { value: mass, unit: 'g' }
  for (let decimals = 0; decimals <= 6; decimals += 1) {
    const value = Number((mass / unitGrams).toFixed(decimals))
    if (Math.abs(value * unitGrams - mass) < 0.499) return { value, unit }
  }
  return { value: mass, unit: 'g' }
}

/**
 * A handle in the service's form (`^[a-z0-9]+(?:-[a-z0-9]+)*$`): lower case, accents dropped, anything else a dash.
 * Null when nothing is left of it.
 */
export function slug(handle: string): string | null {
  const plain = handle.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const dashed = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return dashed === '' ? null : dashed
}
