/** Exports: a list of any length as lines of JSON (`application/x-ndjson`), read page by page while the caller receives it. */
import type { Answer, Operation } from '../core/operation.ts'
import { fitPage, maximumItemsPerPage, namesOf } from '../core/paging.ts'
import { continuationNames } from './query.ts'

/** The answer of a list. */
export type List = Answer & { readonly kind: 'collection' }
type QueryValues = Readonly<Record<string, unknown>>

/** Documents after which a line has the address that continues the export. */
const documentsPerLink = 1000
/**
 * The most pages of one response. The export then ends with a link. Workers allows 10,000 requests to other services for each request
 * (https://developers.cloudflare.com/workers/platform/limits/#subrequests), and a page is one or two.
 */
const maximumPages = 4000

/** Whether a parameter has no effect on an export: an export has no pages, an order of its own, no facets and no suggestions. */
const isUnused = (name: string) => /^(?:page|itemsPerPage|facets\[\]|suggest|order\[.*)$/.test(name)

/** A list without the parameters that have no effect on its export. */
export function exportedOperation(operation: Operation): Operation {
  return {
    ...operation,
    query: Object.fromEntries(Object.entries(operation.query).filter(([name]) => !isUnused(name))),
  }
}

/** The query of an export's first page: the largest pages in the order of their ids. */
export function exportQuery({ query: declared }: Operation, query: QueryValues): QueryValues {
  return {
    ...Object.fromEntries(Object.entries(query).filter(([name]) => !isUnused(name))),
    ...(Object.hasOwn(declared, 'itemsPerPage') && { itemsPerPage: maximumItemsPerPage }),
    ...(Object.hasOwn(declared, 'order[id]') && namesOf(query) === null && { 'order[id]': 'asc' }),
  }
}

/** The query of the page to which a link of `view` leads. */
function continued({ query: declared }: Operation, query: QueryValues, link: string): QueryValues {
  const parameters = new URLSearchParams(link)
  const changes = continuationNames.map((name) => {
    const text = parameters.get(name)
    return [name, text === null ? undefined : declared[name]?.parse(text)]
  })
  return { ...query, ...Object.fromEntries(changes) }
}

type Export = {
  readonly operation: Operation
  readonly query: QueryValues
  /** The path of the list. */
  readonly path: string
  readonly read: (query: QueryValues) => Promise<List>
  readonly render: Parameters<typeof fitPage>[1]
  /** Called with an error that ends the export before its last line. */
  readonly onError: (error: unknown) => void
}

/**
 * The lines of an export, from its first page on. A page is read when the caller has received the page before, so that a slow caller
 * costs no memory. The last line is `{"@type": "End"}`; without it, the export was cut off, and continues at the last `{"@type": "Next"}`.
 */
export function exportedLines(
  first: List,
  { operation, query, path, read, render, onError }: Export,
): ReadableStream<Uint8Array> {
  const { sequence, missing } = first
  const encoder = new TextEncoder()
  let current = query
  let link: string | null = null
  let pages = 0
  let count = 0
  let countAtLink = 0
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          if (link !== null) current = continued(operation, current, link)
          const { texts, view } = fitPage(link === null ? first : await read(current), render)
          link = view?.next ?? null
          pages += 1
          count += texts.length
          const isLastPage = pages === maximumPages
          const lines = [...texts]
          if (link === null) lines.push(JSON.stringify({ '@type': 'End', sequence, count, missing }))
          else if (isLastPage || count >= countAtLink + documentsPerLink) {
            const parameters = [...new URLSearchParams(link)].filter(([name]) => !isUnused(name))
            const next = `${path}?${new URLSearchParams(parameters)}`
            lines.push(JSON.stringify({ '@type': 'Next', next, sequence, count }))
            countAtLink = count
          }
          controller.enqueue(encoder.encode(lines.map((line) => `${line}\n`).join('')))
          if (link === null || isLastPage) controller.close()
        } catch (error) {
          onError(error)
          controller.error(error)
        }
      },
    },
    { highWaterMark: 0 },
  )
}
