import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { type Column, cell, cellValue, type Row, readHeader } from './columns.ts'

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
