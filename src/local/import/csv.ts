import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'

/** A file that cannot be read on: not a product export, not UTF-8, broken quotes. The message says where. */
export class UnreadableFile extends Error {}

/** The neighbouring rows of one handle, and how many bytes of the file are read once they are. */
export type RowGroup = { handle: string; rows: Row[]; bytesRead: number }

/** The rows of a file, grouped by handle, never holding more than one product's rows. */
export function readGroups(path: string): AsyncGenerator<RowGroup> {
  return groupRows(decode(createReadStream(path)))
}

/**
 * Groups CSV text into products. A row without a handle makes a group of its own, with handle '', so that it can be
 * refused by its line.
 */
export async function* groupRows(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<RowGroup> {
  let group: RowGroup | null = null
  for await (const { row, bytesRead } of readRows(text)) {
    const handle = cell(row, 'handle') ?? ''
    if (group && group.handle === handle && handle !== '') {
      group.rows.push(row)
      group.bytesRead = bytesRead
      continue
    }
    if (group) yield group
    group = { handle, rows: [row], bytesRead }
  }
  if (group) yield group
}

async function* readRows(text: AsyncIterable<string> | Iterable<string>) {
  // The parser gets one kind of line end; it would guess it from the first line.
  const source = Readable.from(unixLines(text))
  const parser = parse({
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    raw: true,
  })
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let columns: (Column | null)[] | null = null
  let line = 1
  try {
    for await (const parsed of parser) {
      const { record, raw, info } = parsed as { record: string[]; raw: string; info: { bytes: number } }
      const begins = line + (/^\n*/.exec(raw)?.[0].length ?? 0)
      line += raw.split('\n').length - 1
      if (!columns) {
        columns = readHeader(record)
        if (!columns.includes('handle')) throw notAnExport()
        continue
      }
      if (record.every((value) => value.trim() === '')) continue
      yield { row: { line: begins, cells: cellsOf(record, columns) }, bytesRead: info.bytes }
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw new UnreadableFile(`The file cannot be read as CSV: ${error.message}.`)
    throw error
  } finally {
    source.destroy()
  }
  if (!columns) throw notAnExport()
}

function notAnExport(): UnreadableFile {
  return new UnreadableFile(
    'The file is no Shopify product export: its first line names no column "Handle" (columns are separated by commas).',
  )
}

/** A record shorter than the header leaves its last columns blank. */
function cellsOf(record: readonly string[], columns: readonly (Column | null)[]): Map<Column, string> {
  return new Map(
    columns.flatMap((column, place) =>
      column ? [[column, cellValue(column, record[place] ?? '')] as const] : [],
    ),
  )
}

async function* unixLines(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let held = ''
  for await (const chunk of text) {
    const whole = held + chunk
    // A carriage return at the very end may be half of a pair whose other half is still to come.
    held = whole.endsWith('\r') ? '\r' : ''
    const ready = whole.slice(0, whole.length - held.length).replace(/\r\n?/g, '\n')
    if (ready !== '') yield ready
  }
  if (held) yield '\n'
}

/** Bytes to text, strictly: a spreadsheet's Latin-1 is refused rather than written as replacement characters. */
export async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new UnreadableFile('The file is not UTF-8; save it as "CSV UTF-8".')
    throw error
  }
}

/** One CSV record as header and cells, with the line of the file on which it begins (the header is line 1). */
export type Row = { line: number; cells: ReadonlyMap<Column, string> }

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
  measure: ['Unit Price Total Measure'],
  measureUnit: ['Unit Price Total Measure Unit'],
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
const isNumeric = (column: Column) => ['sku', 'barcode', 'grams', 'measure'].includes(column)

/**
 * The value of a cell, trimmed. An apostrophe before what a spreadsheet would compute belongs to the file: /admin writes it so that
 * the spreadsheet shows the value as text.
 */
function cellValue(column: Column, written: string): string {
  const text = written.trim()
  return (isNumeric(column) ? /^'/ : /^'+[=+\-@\t\n]/).test(text) ? text.slice(1) : text
}

/** The trimmed cell; '' when it is blank, undefined when the file has no such column. */
export function cell(row: Row, column: Column): string | undefined {
  return row.cells.get(column)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

const plainDecimal = /^(\d+)(?:\.(\d+))?$/

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

/** Shopify's units of contents: the service's unit, and how many of them one has (UnitPriceMeasurementMeasuredUnit of its API). */
const contentUnits: Record<string, readonly [unit: string, perUnit: number]> = {
  ...Object.fromEntries(['g', 'kg', 'ml', 'l', 'm', 'm2', 'm3'].map((unit) => [unit, [unit, 1]])),
  mg: ['g', 1000],
  cl: ['l', 100],
  cm: ['m', 100],
  mm: ['m', 1000],
  item: ['piece', 1],
}

/** The content of a package. Zero means "not measured": null. Undefined for a cell that is no number, or a unit that is not metric. */
export function contentOf(
  measure: string,
  written: string,
): { value: number; unit: string } | null | undefined {
  if (/^0*(\.0*)?$/.test(measure)) return null
  const [unit, perUnit] = contentUnits[written.toLowerCase()] ?? []
  if (unit === undefined || perUnit === undefined || !plainDecimal.test(measure)) return undefined
  return { value: Number((Number(measure) / perUnit).toFixed(6)), unit }
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
