/** A file that has no rows to import: it is empty, or its first line has no known column. */
export class UnreadableFile extends Error {}

/** The reason why a row, or one of its values, is not imported. `column` is the name in the header. */
export type Fault = { readonly column?: string; readonly value?: string; readonly message: string }

/** A record of a file with the line on which it begins. A record with a fault has its cells as far as they can be read. */
export type SourceRecord = {
  readonly line: number
  readonly cells: readonly string[]
  readonly fault: Fault | null
}

/** A file of records. `read` is the number of characters that were read. */
export type RecordFile = {
  readonly header: readonly string[]
  readonly delimiter: string
  readonly records: AsyncIterable<SourceRecord>
  readonly read: () => number
}

type Text = AsyncIterable<string> | Iterable<string>

/** The encoding of a file, and its length in characters. */
export type Encoding = { readonly name: string; readonly length: number }

/** The bytes of a file, which can be read several times. */
export type Bytes = () => AsyncIterable<Uint8Array>

/**
 * Finds the encoding of a file: by its byte order mark, by the zeros of UTF-16, and otherwise by its letters beyond ASCII. If most of
 * these are no UTF-8, the file is Windows-1252.
 */
export async function encodingOf(bytes: Bytes): Promise<Encoding> {
  const start = await startOf(bytes)
  const zeros = [0, 1].map(
    (parity) => start.filter((byte, place) => place % 2 === parity && byte === 0).length,
  )
  const [even = 0, odd = 0] = zeros
  const isWide = Math.max(even, odd) > start.length / 4
  if (start[0] === 0xff && start[1] === 0xfe) return measured('utf-16le')
  if (start[0] === 0xfe && start[1] === 0xff) return measured('utf-16be')
  if (isWide) return measured(odd > even ? 'utf-16le' : 'utf-16be')
  const utf8 = await measured('utf-8')
  return utf8.wrong > utf8.right ? measured('windows-1252') : utf8

  async function measured(name: string) {
    const counts = { name, length: 0, wrong: 0, right: 0 }
    for await (const text of textOf(bytes, name)) {
      counts.length += text.length
      counts.wrong += text.match(/\uFFFD/g)?.length ?? 0
      counts.right += text.match(/[^\0-\x7F\uFFFD]/g)?.length ?? 0
    }
    return counts
  }
}

/** The first thousand bytes, or less if the first chunk is shorter. */
async function startOf(bytes: Bytes): Promise<Uint8Array> {
  for await (const chunk of bytes()) return chunk.subarray(0, 1000)
  return new Uint8Array()
}

/** Decodes a file. A byte that is no letter of the encoding becomes U+FFFD. */
export async function* textOf(bytes: Bytes, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of bytes()) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/**
 * Reads the header of a text, and then its records. A record with wrong quotes ends before the next line that begins a row. `keyPlace`
 * returns the place of the column that has a value without spaces in each row, or -1.
 */
export async function readRecords(
  lines: Lines,
  keyPlace: (header: readonly string[]) => number,
): Promise<RecordFile> {
  while ((await lines.at(0))?.trim() === '') lines.drop(1)
  const [, separator] = /^sep=([,;\t|])$/.exec((await lines.at(0)) ?? '') ?? []
  if (separator) lines.drop(1)
  const first = (await lines.at(0)) ?? ''
  const delimiter = separator ?? delimiterOf(first)
  const opening = await attempt(lines, 0, delimiter, () => false)
  const header = opening.cells
  if (!header || first === '') throw new UnreadableFile('The first line of the file has no names of columns.')
  lines.drop(opening.count)
  const format = { header, delimiter, key: keyPlace(header) }
  return { header, delimiter, records: recordsOf(lines, format), read: () => lines.read }
}

type Format = { readonly header: readonly string[]; readonly delimiter: string; readonly key: number }

async function* recordsOf(lines: Lines, format: Format): AsyncGenerator<SourceRecord> {
  const { header, delimiter } = format
  const isRow = (text: string) => header.length > 3 && fits(wholeCells(text, delimiter), format)
  try {
    for (let first = await lines.at(0); first !== undefined; first = await lines.at(0)) {
      const { line } = lines
      let { count, cells } = await attempt(lines, 0, delimiter, isRow)
      if (cells) {
        const isBlank = cells.every((cell) => cell.trim() === '')
        if (!isBlank) yield { line, ...checked(cells, format) }
      } else {
        const wrong = [first]
        for (count = 1; ; count += 1) {
          const next = await lines.at(count)
          if (next === undefined || (await beginsRow(lines, count, format))) break
          wrong.push(next)
        }
        yield { line, ...repaired(wrong.join('\n').trimEnd(), format) }
      }
      lines.drop(count)
    }
  } finally {
    await lines.close()
  }
}

/** Whether a row begins on a line, after a record with wrong quotes. That row may have wrong quotes, too. */
async function beginsRow(lines: Lines, place: number, format: Format): Promise<boolean> {
  const cells = (await lines.at(place))?.split(format.delimiter) ?? []
  if (cells.length >= format.header.length && hasKey(cells, format)) return true
  return fits((await attempt(lines, place, format.delimiter, () => false)).cells, format)
}

function fits(cells: readonly string[] | null, format: Format): boolean {
  if (cells?.length !== format.header.length) return false
  return cells.every((cell) => !cell.startsWith(' ')) && hasKey(cells, format)
}

function hasKey(cells: readonly string[], { key }: Format): boolean {
  return key < 0 || /^[^\s"]+$/.test(cells[key] ?? '')
}

function wholeCells(text: string, delimiter: string): string[] | null {
  const { cells, isWhole } = cellsOf(text, delimiter)
  return isWhole ? cells : null
}

/** A longer record is not searched for its end: the service accepts no body of this size. */
const maximumLength = 1_048_576

type Attempt = { readonly count: number; readonly cells: string[] | null }

/** Reads the record that begins on a line: its number of lines, and its cells; null if its quotes are wrong. */
async function attempt(
  lines: Lines,
  place: number,
  delimiter: string,
  isRow: (line: string) => boolean,
): Promise<Attempt> {
  let text = (await lines.at(place)) ?? ''
  let isOpen = hasOpenQuote(text)
  for (let count = 1; ; count += 1) {
    if (!isOpen) return { count, cells: wholeCells(text, delimiter) }
    const next = await lines.at(place + count)
    if (next === undefined || text.length > maximumLength || isRow(next)) return { count, cells: null }
    text += `\n${next}`
    isOpen = isOpen !== hasOpenQuote(next)
  }
}

const hasOpenQuote = (text: string) => text.includes('"') && (text.split('"').length - 1) % 2 === 1

/**
 * The cells of a record (RFC 4180 §2), as far as each quote is around a cell or doubled. Lenient reading takes other quotes as
 * characters.
 */
function cellsOf(text: string, delimiter: string, isLenient = false): { cells: string[]; isWhole: boolean } {
  const other = `[^${isLenient ? '' : '"'}\\${delimiter}]*`
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|(${other}))(\\${delimiter}|$)`, 'y')
  const cells: string[] = []
  for (;;) {
    const [, quoted, plain = '', end] = cell.exec(text) ?? []
    if (end === undefined) return { cells, isWhole: false }
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '') return { cells, isWhole: true }
  }
}

/** Rejects a record with another number of cells than the header, or with bytes that are no letters. */
function checked(cells: readonly string[], { header, delimiter }: Format): Omit<SourceRecord, 'line'> {
  const beyond = cells.slice(header.length)
  if (cells.length < header.length) {
    const message = `The row has ${cells.length} of ${header.length} columns.`
    return { cells, fault: { column: header[cells.length] ?? '', message } }
  }
  if (beyond.some((cell) => cell.trim() !== '')) {
    const message = `The row has ${cells.length} cells for ${header.length} columns. Put quotes around a value that contains "${delimiter}".`
    return { cells, fault: { value: beyond.join(delimiter), message } }
  }
  const place = cells.findIndex((cell) => cell.includes('\uFFFD'))
  const fault = { column: header[place] ?? '', value: cells[place] ?? '' }
  return {
    cells: beyond.length > 0 ? cells.slice(0, header.length) : cells,
    fault:
      place < 0 ? null : { ...fault, message: 'The value has a byte that is no letter of the encoding.' },
  }
}

/** The cells of a record with wrong quotes, without a quote that opens a cell and is never closed. */
function repaired(text: string, { header, delimiter }: Format): Omit<SourceRecord, 'line'> {
  const { cells } = cellsOf(text, delimiter, true)
  const place = cellsOf(text, delimiter).cells.length
  const message = 'A quote is not closed, or not doubled within a value.'
  return {
    cells: cells.map((cell) => (hasOpenQuote(cell) ? cell.replace(/^"/, '') : cell)),
    fault: { column: header[place] ?? '', value: cells[place] ?? '', message },
  }
}

/** The delimiter that divides the header into the most columns. */
function delimiterOf(header: string): string {
  const most = [',', ';', '\t', '|'].map((delimiter) => [delimiter, header.split(delimiter).length] as const)
  return most.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ','
}

/** A cell as a file contains it. */
export function quoted(cell: string): string {
  return /["\n\r;,\t|]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** The lines of a text. They can be read again until they are dropped. */
export class Lines {
  readonly #source: AsyncGenerator<string>
  readonly #ahead: string[] = []
  /** The number of the first line. */
  line = 1
  /** The characters of dropped lines. */
  read = 0

  constructor(text: Text) {
    this.#source = splitLines(text)
  }

  async at(place: number): Promise<string | undefined> {
    while (this.#ahead.length <= place) {
      const { value, done } = await this.#source.next()
      if (done) return undefined
      this.#ahead.push(value)
    }
    return this.#ahead[place]
  }

  async close(): Promise<void> {
    await this.#source.return(undefined)
  }

  drop(count: number): void {
    for (const line of this.#ahead.splice(0, count)) this.read += line.length + 1
    this.line += count
  }
}

async function* splitLines(text: Text): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const chunk of text) {
    // A carriage return at the very end may be half of a pair.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest.replace(/\r$/, '')
}
