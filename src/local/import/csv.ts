import { type Column, cell, cellValue, type Format, placesOf, type Row } from './columns.ts'
import { readFeed } from './feed.ts'
import { Lines, type RecordFile, readRecords } from './records.ts'
import { translatedRows } from './translate.ts'

/** A file with the names of its columns. */
export type Sheet = Pick<RecordFile, 'header' | 'delimiter'> & {
  /** Columns with values that are not imported. */
  readonly ignored: Set<string>
}

/** The neighbouring rows of one handle, with the characters of the file that are read until then. */
export type RowGroup = {
  readonly sheet: Sheet
  readonly handle: string
  readonly rows: Row[]
  read: number
}

/**
 * Groups the records of CSV text, or the items of a feed in XML, into products. A row without a handle is a group of its own, with handle '', so that its line is reported.
 */
export async function* groupRows(
  text: AsyncIterable<string> | Iterable<string>,
  format: Format = {},
): AsyncGenerator<RowGroup> {
  const { layout = 'shopify' } = format
  let group: RowGroup | null = null
  const keyPlace = (header: readonly string[]) =>
    layout === 'shopify' ? (placesOf(header, format).get('handle')?.[0] ?? -1) : -1
  const lines = new Lines(text)
  const isFeed = (await lines.at(0))?.trimStart().startsWith('<')
  const file = await (isFeed ? readFeed(lines) : readRecords(lines, keyPlace))
  const { rows, used } =
    layout === 'shopify'
      ? rowsOf(file, format)
      : translatedRows(file.header, await Array.fromAsync(file.records), format)
  const sheet: Sheet = { ...file, ignored: new Set() }
  for await (const row of rows) {
    for (const [place, name] of file.header.entries())
      if (!used.has(place) && row.source.cells[place]?.trim() && name !== reasonColumn)
        sheet.ignored.add(name || '(without a name)')
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

/** The rows of a file in the importer's own layout. */
function rowsOf(
  { header, records }: RecordFile,
  format: Format,
): { rows: AsyncIterable<Row>; used: ReadonlySet<number> } {
  const columns = [...placesOf(header, format)].map(([column, [place = -1]]) => [column, place] as const)
  const nameOf = new Map(columns.map(([column, place]) => [column, header[place] ?? '']))
  async function* rows(): AsyncGenerator<Row> {
    for await (const source of records) {
      const cells = columns.map(([column, place]): [Column, string] => [
        column,
        cellValue(column, source.cells[place] ?? '', format),
      ])
      yield { line: source.line, fault: source.fault, source, nameOf, cells: new Map(cells) }
    }
  }
  return { rows: rows(), used: new Set(columns.map(([, place]) => place)) }
}

/** The first column of a file of rejected rows. */
export const reasonColumn = 'Rejected because'
