/** Reads a file in the browser as `npm run import` reads it: its columns, then its products. */
import {
  type Column,
  columnNames,
  type Format,
  knownPlaces,
  type LayoutName,
} from '../../local/import/columns.ts'
import { groupRows, type Sheet } from '../../local/import/csv.ts'
import { type ImportedProduct, type Remark, readProduct, repeatedHandle } from '../../local/import/product.ts'
import {
  type Bytes,
  encodingOf,
  Lines,
  readRecords,
  type SourceRecord,
  textOf,
} from '../../local/import/records.ts'
import { addRejected } from '../../local/import/rejected.ts'

/** The limits of a bulk operation. */
export const maximumBytes = 50_000_000
export const maximumLines = 100_000

/** A file with its columns, before a user has chosen which of them are imported. */
export type OpenedFile = {
  readonly name: string
  readonly bytes: Bytes
  readonly encoding: string
  readonly header: readonly string[]
  /** The first value of each column. */
  readonly samples: readonly string[]
  readonly rows: number
  readonly layout: LayoutName
  /** Whether prices seem to have a decimal comma. */
  readonly hasDecimalCommas: boolean
}

/** The fields of each column, by its place, as the user has chosen them. */
export type Mapping = readonly (readonly Column[])[]

/** Reads all rows once. `layout` is the one with the most columns of the file. */
export async function openFile(file: File): Promise<OpenedFile> {
  const bytes = bytesOf(file)
  const { name: encoding } = await encodingOf(bytes)
  const { header, records } = await readRecords(new Lines(textOf(bytes, encoding)), () => -1)
  const samples = header.map(() => '')
  let rows = 0
  let hasDecimalCommas = false
  for await (const { cells } of records) {
    rows += 1
    for (const [place, text] of cells.entries()) {
      samples[place] ||= text.trim()
      hasDecimalCommas ||= /^\d+,\d\d$/.test(text.trim())
    }
  }
  return {
    name: file.name,
    bytes,
    encoding,
    header,
    samples: samples.slice(0, header.length),
    rows,
    layout: layoutOf(header),
    hasDecimalCommas,
  }
}

/** The bytes of a file in pieces, so that the page stays responsive. */
const bytesOf = (file: File): Bytes =>
  async function* () {
    const size = 262_144
    for (let at = 0; at < file.size; at += size)
      yield new Uint8Array(await file.slice(at, at + size).arrayBuffer())
  }

/** Layouts with the general one first, which wins if another one knows no more columns. */
export const layoutChoices: readonly LayoutName[] = [
  'sheet',
  'shopify',
  'woocommerce',
  'google-merchant',
  'prestashop',
  'medusa',
  'magento',
  'akeneo',
  'bigcommerce',
]

function layoutOf(header: readonly string[]): LayoutName {
  const count = (layout: LayoutName) => knownPlaces(header, { layout }).size
  return layoutChoices.reduce((best, layout) => (count(layout) > count(best) ? layout : best))
}

/** The fields that the names of columns suggest. */
export function suggestedMapping(header: readonly string[], format: Format): Mapping {
  const known = [...knownPlaces(header, format)]
  return header.map((_, at) => known.flatMap(([column, places]) => (places.includes(at) ? [column] : [])))
}

/** The places of columns: those of the layout in its order, then those that the user has added. */
export function placesIn(
  mapping: Mapping,
  header: readonly string[],
  format: Format,
): ReadonlyMap<Column, readonly number[]> {
  const known = knownPlaces(header, format)
  return new Map(
    columnNames.flatMap((column) => {
      const chosen = mapping.flatMap((columns, at) => (columns.includes(column) ? [at] : []))
      const first = (known.get(column) ?? []).filter((at) => chosen.includes(at))
      return chosen.length > 0 ? [[column, [...new Set([...first, ...chosen])]] as const] : []
    }),
  )
}

/** Whether each product has a name by which its rows belong together. */
export function isComplete(mapping: Mapping, layout: LayoutName): boolean {
  const fields = mapping.flat()
  return fields.includes('handle') || (layout !== 'shopify' && fields.includes('title'))
}

/** The products of a file, and its rows that cannot be imported. */
export type ReadProducts = {
  readonly products: readonly ImportedProduct[]
  readonly sheet: Pick<Sheet, 'header' | 'delimiter'>
  readonly rejected: ReadonlyMap<SourceRecord, readonly string[]>
  readonly remarks: Remark[]
  /** Products without those in `products`. */
  readonly rejectedProducts: number
}

/** A product is imported whole, or not at all. */
export async function readProducts(
  { bytes, encoding, header }: OpenedFile,
  format: Format,
): Promise<ReadProducts> {
  const products: ImportedProduct[] = []
  const rejected = new Map<SourceRecord, readonly string[]>()
  const remarks: Remark[] = []
  const firstLines = new Map<string, number>()
  let sheet: ReadProducts['sheet'] = { header, delimiter: ',' }
  let rejectedProducts = 0
  for await (const group of groupRows(textOf(bytes, encoding), format)) {
    sheet = group.sheet
    const { product, refusals } = readProduct(group)
    const repeated = product && repeatedHandle(product, firstLines)
    const reasons = repeated ? [repeated] : refusals
    if (product && reasons.length === 0) {
      firstLines.set(product.handle, product.line)
      products.push(product)
    } else {
      rejectedProducts += 1
      remarks.push(...reasons)
      addRejected(rejected, group.rows, reasons)
    }
  }
  return { products, sheet, rejected, remarks, rejectedProducts }
}
