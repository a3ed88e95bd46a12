/** The columns of files: Shopify's, and those of the layouts of other systems (`layouts.json`). */
import data from './layouts.json' with { type: 'json' }
import { type SourceRecord, UnreadableFile } from './records.ts'

/** The columns that are imported, by their names in the code. */
export type Column = keyof typeof data.shopify.columns
export type LayoutName = keyof typeof data

export type Layout = {
  /** The published description of its columns. */
  readonly source: string
  /**
   * The names of each column; the first with a value counts. All count for pictures and tags, whose values are lists. `{currency}` is that
   * of the import, `#` any number, and `*` any ending. An option without a name has that of its column. Names are compared without case,
   * blanks and punctuation.
   */
  readonly columns: Readonly<Partial<Record<Column, readonly string[]>>>
  /** Other names of values. */
  readonly values?: Readonly<Partial<Record<Column, Readonly<Record<string, string>>>>>
  /** Columns by which variants name their product. Without them, records with one handle or title are one product. */
  readonly keys?: readonly string[]
  /** The column in which a variant names its product. */
  readonly parent?: string
  /** The column in which a product lists its variants: `sku=A,size=S|sku=B,size=M`. */
  readonly children?: string
  /** The column with the kind of a record: a `Product`, or a `Variant` or picture of the product above. */
  readonly kind?: string
  /** The column with the options of a variant: `Name=Size|Value=S`. */
  readonly pairs?: string
  /** The unit of weights without a unit. */
  readonly weightUnit?: string
  /** The file contains products on sale only. */
  readonly isOnSale?: boolean
}

export const layouts: Readonly<Record<LayoutName, Layout>> = data
export const layoutNames = Object.keys(data) as LayoutName[]
export const columnNames = Object.keys(data.shopify.columns) as Column[]

/** How a file writes its products. */
export type Format = {
  readonly layout?: LayoutName
  /** The places of columns that a user has chosen, instead of those of the layout. */
  readonly places?: ReadonlyMap<Column, readonly number[]>
  /** The name of a column in the file, instead of those of the layout. */
  readonly mapped?: ReadonlyMap<Column, string>
  /** Part of names of columns, and of amounts such as `15.00 EUR`. */
  readonly currency?: string
  /** Amounts and weights have a decimal comma. */
  readonly decimalComma?: boolean
  /** Where pictures are whose addresses are paths. */
  readonly pictureBase?: string | undefined
}

/** One record as cells by column, with the line of the file on which it begins (the header is line 1). */
export type Row = Pick<SourceRecord, 'line' | 'fault'> & {
  readonly cells: ReadonlyMap<Column, string>
  readonly source: SourceRecord
  /** The names of the columns in the file. */
  readonly nameOf: ReadonlyMap<Column, string>
  /** A value of an option of the only variant, which gets none. */
  readonly dropped?: { readonly column: string; readonly value: string } | undefined
}

/** The trimmed cell; '' when it is blank, undefined when the file has no such column. */
export function cell(row: Pick<Row, 'cells'>, column: Column): string | undefined {
  return row.cells.get(column)
}

/** A name of a column, as names are compared. */
export function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** The places of each column in a file, in the order of its names. @throws UnreadableFile if a required or mapped column is missing */
export function placesOf(header: readonly string[], format: Format): ReadonlyMap<Column, readonly number[]> {
  const { layout = 'shopify' } = format
  const places = format.places ?? knownPlaces(header, format)
  if (places.has('handle') || (layout !== 'shopify' && places.has('title'))) return places
  throw missing(layout === 'shopify' ? '"Handle", as a Shopify product export has' : 'for the title', header)
}

/** The places of the columns that a layout or a user names, with or without the required ones. */
export function knownPlaces(
  header: readonly string[],
  { layout = 'shopify', mapped, currency = '' }: Format,
): ReadonlyMap<Column, readonly number[]> {
  const places = new Map<Column, number[]>()
  for (const column of columnNames) {
    const name = mapped?.get(column)
    const names = name === undefined ? (layouts[layout].columns[column] ?? []) : [name]
    const found = names.flatMap((each) => {
      const [begin = '', end] = each.replace('{currency}', currency).split(/[#*]/).map(plain)
      return header.flatMap((written, place) => {
        const other = plain(written)
        return (end === undefined ? other === begin : other.startsWith(begin) && other.endsWith(end))
          ? [place]
          : []
      })
    })
    if (name !== undefined && found.length === 0) throw missing(`"${name}"`, header)
    if (found.length > 0) places.set(column, found)
  }
  return places
}

function missing(name: string, header: readonly string[]): UnreadableFile {
  const first = header.join(', ').slice(0, 200)
  return new UnreadableFile(
    `The file has no column ${name}. --layout and --map name others. Its columns: ${first}`,
  )
}

/** Columns in which other exports put an apostrophe before each number, so that spreadsheets keep its zeros. */
const isNumeric = (column: Column) => ['sku', 'barcode', 'grams', 'measure'].includes(column)
const isAmount = (column: Column) => ['price', 'compareAt', 'grams', 'measure'].includes(column)

/**
 * The value of a cell, trimmed. An apostrophe before what a spreadsheet would compute belongs to the file: /admin writes it so that
 * the spreadsheet shows the value as text.
 */
export function cellValue(column: Column, written: string, format: Format): string {
  const text = written.trim()
  if (column === 'imageSrc' || column === 'variantImage') return pictureAddress(text, format)
  const value = (isNumeric(column) ? /^'/ : /^'+[=+\-@\t\n]/).test(text) ? text.slice(1) : text
  return format.decimalComma && isAmount(column) ? withPoint(value) : value
}

/** The address of a picture that a file names by an address or a path. */
export function pictureAddress(written: string, { pictureBase }: Format): string {
  const isPath = written !== '' && !/^https?:/i.test(written)
  return pictureBase && isPath ? `${pictureBase.replace(/\/$/, '')}/${written.replace(/^\//, '')}` : written
}

/** `1.299,00` as `1299.00`, with what follows. Other texts remain. */
function withPoint(text: string): string {
  const [, number = '', rest = ''] = /^([\d.,]+)(.*)$/.exec(text) ?? []
  if (!/^\d+(?:,\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(number)) return text
  return number.replaceAll('.', '').replace(',', '.') + rest
}
