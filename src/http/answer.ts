import { textOf, type Value } from '../core/document.ts'
import { fitting } from '../core/fitting.ts'
import type { Answer, Operation } from '../core/operation.ts'
import { operationIn } from '../core/version-query.ts'
import { queryWith } from '../core/view.ts'
import type { Library, Reader } from '../docs/library.ts'
import { type Call, established } from './call.ts'
import { hashOf } from './entity-tag.ts'
import { isNotModified } from './preconditions.ts'
import { searchOf } from './search-template.ts'

const encoder = new TextEncoder()

/** An operation's answer as a response: document or Hydra collection, entity tag, 304 where the caller has it already. */
export async function respond(
  answer: Answer,
  operation: Operation,
  request: Request,
  call: Call,
  render: (document: Value) => string,
  library: Library,
): Promise<Response> {
  const headers = new Headers()
  if (answer.replayed) headers.set('Idempotency-Replayed', 'true')
  if (answer.kind === 'empty') return new Response(null, { status: 204, headers })
  if (answer.sequence !== undefined) headers.set('Service-Sequence', String(answer.sequence))
  headers.set('Content-Type', 'application/ld+json')
  const text =
    answer.kind === 'item'
      ? await itemText(answer, operation, call, render, library)
      : listText(answer, operation, call, render)
  // What it is hashed with goes in front, so that a text is encoded once, for its tag and to be sent.
  const spoken = `${call.locale.asked} ${established(call.dialect).version.name} `
  const bytes = encoder.encode(spoken + text)
  const tag = await hashOf(bytes)
  const etag =
    answer.kind === 'collection'
      ? `W/"${tag}"`
      : `"${answer.version === null ? '' : `${answer.version}.`}${tag}"`
  headers.set('ETag', etag)
  const reads = operation.method === 'GET'
  if (reads && isNotModified(request.headers, etag)) {
    headers.delete('Content-Type')
    return new Response(null, { status: 304, headers })
  }
  if (answer.kind === 'item' && answer.location) headers.set('Location', answer.location)
  return new Response(bytes.subarray(spoken.length), {
    status: operation.method === 'POST' ? (operation.status ?? 201) : 200,
    headers,
  })
}

async function itemText(
  { document }: Answer & { kind: 'item' },
  { shape }: Operation,
  { url, dialect, versionAsked }: Call,
  render: (document: Value) => string,
  library: Library,
): Promise<string> {
  const reader = { dialect: established(dialect), origin: url.origin, everyName: !versionAsked }
  const context = shape.inlineContext ? await ownContext(shape.type, reader, library) : contextOf(shape.type)
  const text = render(document)
  // The rest follows as it is, so that a large document is not walked for one member.
  return text === '{}' ? `{${context}}` : `{${context},${text.slice(1)}`
}

function listText(
  answer: Answer & { kind: 'collection' },
  operation: Operation,
  { url, dialect }: Call,
  render: (document: Value) => string,
): string {
  const { total, extra } = answer
  const { texts, view } = fitting(answer, render)
  const link = (query: string) => (query === '' ? url.pathname : `${url.pathname}?${query}`)
  const parts = [
    contextOf(operation.shape.type),
    `"@id":${JSON.stringify(url.pathname)}`,
    '"@type":"Collection"',
    ...(total === undefined ? [] : [`"totalItems":${total}`]),
    `"member":[${texts.join(',')}]`,
  ]
  if (view) {
    const links = Object.entries(view).map(([name, query]) => [name, link(query)])
    const partial = {
      '@id': link(queryWith(url, {})),
      '@type': 'PartialCollectionView',
      ...Object.fromEntries(links),
    }
    parts.push(`"view":${JSON.stringify(partial)}`)
  }
  if (operation.method === 'GET')
    parts.push(
      `"search":${JSON.stringify(searchOf(operationIn(operation, established(dialect)), url.pathname))}`,
    )
  for (const [name, value] of Object.entries(extra ?? {})) {
    if (value !== undefined) parts.push(`${JSON.stringify(name)}:${textOf(value)}`)
  }
  return `{${parts.join(',')}}`
}

async function ownContext(type: string, reader: Reader, library: Library): Promise<string> {
  const document = await library(`context-${type}`, reader)
  if (document === null) throw new Error(`no context of ${type} is published`)
  return document.text().slice(1, -1)
}

function contextOf(type: string): string {
  return `"@context":"/api/contexts/${type}"`
}
