import { textOf, type Value } from '../core/document.ts'
import { fitting } from '../core/fitting.ts'
import type { Answer, Operation } from '../core/operation.ts'
import { operationIn } from '../core/version-query.ts'
import { queryWith } from '../core/view.ts'
import type { Library, Reader } from '../docs/library.ts'
import type { MadeAnswer } from './answer-memory.ts'
import { type Call, established } from './call.ts'
import { hashOf } from './entity-tag.ts'
import { isNotModified } from './preconditions.ts'
import { searchOf } from './search-template.ts'

const encoder = new TextEncoder()

/** An operation's answer written out: document or Hydra collection, entity tag. */
export async function madeOf(
  answer: Answer,
  operation: Operation,
  call: Call,
  render: (document: Value) => string,
  library: Library,
): Promise<MadeAnswer> {
  const headers: [string, string][] = answer.replayed ? [['Idempotency-Replayed', 'true']] : []
  if (answer.kind === 'empty') return { status: 204, headers, etag: '', body: nothing }
  if (answer.sequence !== undefined) headers.push(['Service-Sequence', String(answer.sequence)])
  if (answer.kind === 'item' && answer.location) headers.push(['Location', answer.location])
  const text =
    answer.kind === 'item'
      ? await itemText(answer, operation, call, render, library)
      : listText(answer, operation, call, render)
  // What it is hashed with goes in front, so that a text is encoded once, for its tag and to be sent.
  const spoken = `${call.locale.asked} ${established(call.dialect).version.name} `
  const bytes = encoder.encode(spoken + text)
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
