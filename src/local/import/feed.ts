/** Feeds of products in XML: the items of RSS 1.0 and 2.0, and the entries of Atom. */
import { Parser } from 'htmlparser2'
import type { Fault, Lines, RecordFile } from './records.ts'

/** A list, with an element for each value. */
const pictures = 'additional_image_link'

type Item = { readonly line: number; readonly values: Map<string, string>; fault: Fault | null }

/** Reads a feed whole. Each item is a record, and each name of its elements a column. */
export async function readFeed(lines: Lines): Promise<RecordFile> {
  const items: Item[] = []
  const parser = parserOf(items, () => lines.line)
  for (let line = await lines.at(0); line !== undefined; line = await lines.at(0)) {
    parser.write(`${line}\n`)
    lines.drop(1)
  }
  parser.end()
  const header = [...new Set(items.flatMap(({ values }) => [...values.keys()]))]
  const records = items.map(({ line, values, fault }) => ({
    line,
    cells: header.map((name) => values.get(name) ?? ''),
    fault,
  }))
  return { header, delimiter: ',', records: each(records), read: () => lines.read }
}

async function* each<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values
}

function parserOf(items: Item[], lineNow: () => number): Parser {
  let item: Item | null = null
  /** The open elements of the item, outermost first. */
  let open: string[] = []
  let text = ''
  return new Parser(
    {
      onopentagname(name) {
        if (/^(?:item|entry)$/.test(name)) {
          if (item) item.fault = unclosed
          item = { line: lineNow(), values: new Map(), fault: null }
          items.push(item)
          open = []
        } else if (item) {
          if (open.length === 0) text = ''
          open.push(name.replace(/^g:/, ''))
        }
      },
      ontext(more) {
        text += more
      },
      onclosetag(_, isImplied) {
        if (!item) return
        if (isImplied) item.fault = unclosed
        const name = open.pop()
        if (name === undefined) item = null
        else if (open.length === 0) keep(item, name, text.trim())
      },
    },
    { xmlMode: true },
  )
}

const unclosed = { message: 'An element of the item is not closed.' }

/** The first element of a name counts, because RSS has its own title, link and description next to those of Google. */
function keep({ values }: Item, name: string, value: string): void {
  const earlier = values.get(name)
  if (!earlier) values.set(name, value)
  else if (name === pictures) values.set(name, `${earlier}, ${value}`)
}
