import { textOf, type Value, WrittenDocument } from '../core/document.ts'
import { fitting } from '../core/fitting.ts'
import type { Answer, Operation } from '../core/operation.ts'
import { writesAsIs } from '../core/render.ts'
import { joined, Utf8Writer } from '../core/utf8.ts'
import { queryWith } from '../core/view.ts'
import type { Library, Reader } from '../docs/library.ts'
import type { MadeAnswer } from './answer-memory.ts'
import { type Call, established } from './call.ts'
import { hashOf } from './entity-tag.ts'
import { isNotModified } from './preconditions.ts'
import { searchOf } from './search-template.ts'

type Piece = string | Uint8Array
type Render = (document: Value) => string

/** An operation's answer written out: document or Hydra collection, entity tag. */
export async function madeOf(
  answer: Answer,
  operation: Operation,
  call: Call,
  render: Render,
  library: Library,
): Promise<MadeAnswer> {
  const headers: [string, string][] = answer.replayed ? [['Idempotency-Replayed', 'true']] : []
  if (answer.kind === 'empty') return { status: 204, headers, etag: '', body: nothing }
  if (answer.sequence !== undefined) headers.push(['Service-Sequence', String(answer.sequence)])
  if (answer.kind === 'item' && answer.location) headers.push(['Location', answer.location])
  const context = answer.kind === 'item' ? await itemContext(operation, call, library) : ''
  // What it is hashed with goes in front, so that a text is encoded once, for its tag and to be sent.
  const spoken = `${call.locale.asked} ${established(call.dialect).version.name} `
  const pieces =
    answer.kind === 'item'
      ? itemPieces(context, answer.document, render)
      : listPieces(answer, operation, call, render)
  const bytes = joined([spoken, ...pieces])
  const tag = await hashOf(bytes)
  return {
    status: operation.method === 'POST' ? (operation.status ?? 201) : 200,
    headers,
    etag:
      answer.kind === 'collection'
        ? `W/"${tag}"`
        : `"${answer.version === null ? '' : `${answer.version}.`}${tag}"`,
    body: bytes.subarray(spoken.length),
  }
}

const nothing = new Uint8Array()

/** An answer as a response: 304 where the caller has it already. */
export function responseOf(
  { status, headers: own, etag, body }: MadeAnswer,
  reads: boolean,
  request: Request,
): Response {
  const headers = new Headers(own.map(([name, value]): [string, string] => [name, value]))
  if (status === 204) return new Response(null, { status, headers })
  headers.set('ETag', etag)
  if (reads && isNotModified(request.headers, etag)) return new Response(null, { status: 304, headers })
  headers.set('Content-Type', 'application/ld+json')
  return new Response(body, { status, headers })
}

async function itemContext({ shape }: Operation, { url, dialect, versionAsked }: Call, library: Library) {
  const reader = { dialect: established(dialect), origin: url.origin, everyName: !versionAsked }
  return shape.inlineContext ? await ownContext(shape.type, reader, library) : contextOf(shape.type)
}

function itemPieces(context: string, document: Value, render: Render): readonly Piece[] {
  // The rest follows as it is, so that a large document is not walked for one member.
  const rest = renderedBy(render)(document).slice(1)
  return [rest.length === 1 ? `{${context}` : `{${context},`, rest]
}

/** How pieces are rendered that are put together before anything else is. */
function renderedBy(render: Render): (document: Value) => Piece {
  if (!writesAsIs(render)) return render
  writer.clear()
  return (document) => {
    if (!(document instanceof WrittenDocument)) return render(document)
    const start = writer.length
    document.writeTo(writer)
    return writer.since(start)
  }
}

const writer = new Utf8Writer()

function listPieces(
  answer: Answer & { kind: 'collection' },
  operation: Operation,
  { url }: Call,
  render: Render,
): readonly Piece[] {
  const { total, extra } = answer
  const { texts, view } = fitting(answer, renderedBy(render))
  const link = (query: string) => (query === '' ? url.pathname : `${url.pathname}?${query}`)
  const before = [
    contextOf(operation.shape.type),
    `"@id":${JSON.stringify(url.pathname)}`,
    '"@type":"Collection"',
    ...(total === undefined ? [] : [`"totalItems":${total}`]),
    '"member":[',
  ]
  const after: string[] = ['']
  if (view) {
    const links = Object.entries(view).map(([name, query]) => [name, link(query)])
    const partial = {
      '@id': link(queryWith(url, {})),
      '@type': 'PartialCollectionView',
      ...Object.fromEntries(links),
    }
    after.push(`"view":${JSON.stringify(partial)}`)
  }
  if (operation.method === 'GET') after.push(`"search":${JSON.stringify(searchOf(operation, url.pathname))}`)
  for (const [name, value] of Object.entries(extra ?? {})) {
    if (value !== undefined) after.push(`${JSON.stringify(name)}:${textOf(value)}`)
  }
  return [`{${before.join(',')}`, ...separated(texts), `]${after.join(',')}}`]
}

/** Members with commas between them; texts as one. */
function separated(members: readonly Piece[]): readonly Piece[] {
  const pieces: Piece[] = []
  let text = ''
  for (const [index, member] of members.entries()) {
    if (index > 0) text += ','
    if (typeof member === 'string') text += member
    else {
      pieces.push(text, member)
      text = ''
    }
  }
  return [...pieces, text]
}

async function ownContext(type: string, reader: Reader, library: Library): Promise<string> {
  const document = await library(`context-${type}`, reader)
  if (document === null) throw new Error(`no context of ${type} is published`)
  return document.text().slice(1, -1)
}

function contextOf(type: string): string {
  return `"@context":"/api/contexts/${type}"`
}
