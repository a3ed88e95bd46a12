/** Rejected rows: their reasons, and the file in which a user corrects them. */
import { type Column, columnNames, type Row } from './columns.ts'
import { reasonColumn, type Sheet } from './csv.ts'
import { type ImportedProduct, type ImportedVariant, type Remark, remarkOn } from './product.ts'
import { type Fault, quoted, type SourceRecord } from './records.ts'

/** A file of the rows of rejected products, with their reasons. Its first column has the reasons. */
export function rejectedFile(
  { header, delimiter }: Pick<Sheet, 'header' | 'delimiter'>,
  rejected: ReadonlyMap<SourceRecord, readonly string[]>,
): string {
  const place = header.indexOf(reasonColumn)
  const line = (first: string, cells: readonly string[]) => {
    const rest = place < 0 ? cells : cells.toSpliced(place, 1)
    return `${[first, ...rest].map((cell) => quoted(shownAsText(cell))).join(delimiter)}\n`
  }
  const rows = [...rejected].toSorted(([a], [b]) => a.line - b.line)
  const whole = ({ cells }: SourceRecord) => [...cells, ...header.slice(cells.length).map(() => '')]
  const lines = rows.map(([record, reasons]) => line(reasons.join(' '), whole(record)))
  // With a byte order mark, spreadsheets read UTF-8.
  return `\uFEFF${line(reasonColumn, header)}${lines.join('')}`
}

/** A cell that a spreadsheet shows instead of computing it. The importer removes this apostrophe. */
const shownAsText = (cell: string) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)

/** The records of rows. A record with several pictures has a row for each. */
export const recordsOf = (rows: readonly Row[]) => [...new Set(rows.map(({ source }) => source))]

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
  violations: readonly { readonly propertyPath: string; readonly message: string }[],
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

/** Adds rows to the rejected ones, with the remarks on each. */
export function addRejected(
  rejected: Map<SourceRecord, readonly string[]>,
  rows: readonly Row[],
  remarks: readonly Remark[],
): void {
  for (const record of recordsOf(rows)) {
    const reasons = remarks
      .filter(({ line }) => line === record.line)
      .map(({ column, message }) => reasonText({ column, message }))
    rejected.set(record, [...(rejected.get(record) ?? []), ...reasons])
  }
}

/** A reason with the column and the value that it is about. */
export function reasonText({ column, value, message }: Fault): string {
  const text = value ? ` "${shortened(value)}"` : ''
  return column === undefined ? message : `${column}${text}: ${message}`
}

const shortened = (value: string) => {
  const line = value.replaceAll('\n', '⏎')
  return line.length > 40 ? `${line.slice(0, 39)}…` : line
}
