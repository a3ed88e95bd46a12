import { epochOf, type Tenant } from '../core/context.ts'
import type { Value } from '../core/document.ts'
import type { Answer, Operation } from '../core/operation.ts'
import { fitPage } from '../core/paging.ts'
import { httpProblems } from '../core/problems/http.ts'
import { truncate } from '../core/sizes.ts'
import type { ApiVersion } from '../core/versions.ts'
import { queryWith } from '../core/view.ts'
import type { DocumentReader, Reader } from '../docs/published.ts'
import { versions } from '../versions/index.ts'
import { exposedHeaders } from './cors.ts'
import { searchTemplate } from './query.ts'
import type { AppEnv, VariablesSoFar } from './request.ts'
import { pricedAtHeader, type RenderedResponse } from './response-cache.ts'
import { setStorefrontHeaders } from './storefront.ts'

/** The first 16 base64url characters of the SHA-256 of some bytes: 96 bits. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes), 0, 12)
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/** One entity tag of RFC 9110 §8.8.3, with what separates it from the next. */
const tag = /\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y

/**
 * The versions that `If-Match` allows: tags are `"{version}.{hash}"`, or `"{version}-e{epoch}.{hash}"` after a restore. Versions of other
 * epochs are no versions of this history. The hash is not compared. `W/` is ignored,
 * against RFC 9110 §13.1.1: a proxy that compresses an answer weakens its tag, and the version that it names stays exact.
 * Null for any version: with `*` and without the header. @throws 400 `http.malformed_header`
 */
export function ifMatchOf(headers: Headers, tenant: Tenant): readonly number[] | null {
  const value = headers.get('if-match')
  if (value === null || value.trim() === '*') return null
  const versions = tagsOf(value, 'If-Match').flatMap((text) => {
    const [, version, epoch = 0] = /^(\d{1,9})(?:-e(\d{1,15}))?\./.exec(text) ?? []
    return version === undefined || Number(epoch) !== epochOf(tenant) ? [] : [Number(version)]
  })
  return versions.length > 0 ? versions : [-1]
}

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 §13.1.2). @throws 400 `http.malformed_header` */
export function isNotModified(headers: Headers, etag: string): boolean {
  const value = headers.get('if-none-match')
  if (value === null) return false
  if (value.trim() === '*') return true
  const text = etag.replace(/^W\//, '').slice(1, -1)
  return tagsOf(value, 'If-None-Match').includes(text)
}

/** The texts between the quotes of a list of entity tags. */
function tagsOf(value: string, header: string): string[] {
  const tags: string[] = []
  const trimmed = value.trimEnd()
  tag.lastIndex = 0
  while (tag.lastIndex < trimmed.length || tags.length === 0) {
    const match = tag.exec(trimmed)
    if (!match) {
      const help = `An entity tag is in quotation marks, as the header ETag returned it: ${header}: "3.0tR5…". Several are separated by commas.`
      throw httpProblems.malformed_header({ header }, { help })
    }
    tags.push(match[1] ?? '')
  }
  return tags
}

/** Whether an upsert requires that its resource exists (`If-Match: *`), or that it does not (`If-None-Match: *`). */
export function requiredExistenceOf(headers: Headers): boolean | null {
  if (headers.get('if-none-match')?.trim() === '*') return false
  return headers.get('if-match')?.trim() === '*' ? true : null
}

type Render = (document: Value) => string

/** An operation's answer written out: document or Hydra collection, entity tag. */
export async function renderAnswer(
  answer: Answer,
  operation: Operation,
  variables: AppEnv['Variables'],
  render: Render,
  library: DocumentReader,
): Promise<RenderedResponse> {
  const headers = answerHeaders(answer)
  if (answer.kind === 'empty') return { status: 204, headers, etag: '', body: noBytes }
  const { pricing } = answer
  const context = answer.kind === 'item' ? await itemContext(operation, variables, library) : ''
  // The prefix is part of the hash only. With it in front, the text is encoded once for both the tag and the body.
  const prefix = `${variables.locale.requested} ${variables.apiVersion.version.name} `
  const text =
    answer.kind === 'item'
      ? itemText(context, answer.document, render)
      : listText(answer, operation, variables, render)
  const bytes = encoder.encode(prefix + text)
  const tag = await hashOf(bytes)
  const epoch = epochOf(variables.tenant)
  return {
    status: operation.method === 'POST' ? (operation.status ?? 201) : isCreated(answer) ? 201 : 200,
    headers,
    etag:
      answer.kind === 'collection'
        ? `W/"${tag}"`
        : `"${answer.version === null ? '' : `${answer.version}${epoch === 0 ? '' : `-e${epoch}`}.`}${tag}"`,
    ...(pricing?.cachedUntil === undefined ? {} : { cachedUntil: pricing.cachedUntil }),
    body: bytes.subarray(prefix.length),
  }
}

/** Whether an upsert created its resource. */
export function isCreated(answer: Answer): boolean {
  return answer.kind === 'item' && answer.effect === 'created'
}

const pricesUntilHeader = 'Service-Prices-Until'

function answerHeaders(answer: Answer): [string, string][] {
  const headers: [string, string][] = answer.replayed ? [['Idempotency-Replayed', 'true']] : []
  if (answer.kind === 'empty') return headers
  if (answer.sequence !== undefined) headers.push(['Service-Sequence', String(answer.sequence)])
  const { pricing } = answer
  if (pricing) headers.push([pricedAtHeader, pricing.at])
  if (pricing?.until) headers.push([pricesUntilHeader, pricing.until])
  if (answer.kind === 'item' && answer.location) headers.push(['Location', answer.location])
  if (answer.kind === 'item' && answer.effect)
    headers.push(['Service-Changed', String(answer.effect !== 'none')])
  if (answer.kind === 'item' && answer.contentLocation)
    headers.push(['Content-Location', answer.contentLocation])
  return headers
}

const noBytes = new Uint8Array()
const encoder = new TextEncoder()

/** An answer as a response: 304 where the caller has it already. */
export function responseOf(
  { status, headers: entries, etag, body }: RenderedResponse,
  isRead: boolean,
  request: Request,
): Response {
  const headers = new Headers(entries.map(([name, value]): [string, string] => [name, value]))
  if (status === 204) return new Response(null, { status, headers })
  headers.set('ETag', etag)
  if (isRead && isNotModified(request.headers, etag)) return new Response(null, { status: 304, headers })
  headers.set('Content-Type', 'application/ld+json')
  return new Response(body, { status, headers })
}

/** An export as a response, with the headers of its first page. */
export function exportResponse(first: Answer, lines: ReadableStream<Uint8Array>): Response {
  const headers = new Headers(answerHeaders(first))
  // The header would have the next change of a price of the first page, not of the export.
  headers.delete(pricesUntilHeader)
  headers.set('Content-Type', linesType)
  headers.set('Cache-Control', 'private, no-store')
  return new Response(lines, { headers })
}

async function itemContext(
  { shape }: Operation,
  { url, apiVersion, isVersionRequested }: AppEnv['Variables'],
  library: DocumentReader,
) {
  const reader = { apiVersion, origin: url.origin, everyName: !isVersionRequested }
  return shape.inlineContext ? await ownContext(shape.type, reader, library) : contextMember(shape.type)
}

function itemText(context: string, document: Value, render: Render): string {
  // The rest follows as it is, so that a large document is not walked for one member.
  const rest = render(document).slice(1)
  return rest.length === 1 ? `{${context}${rest}` : `{${context},${rest}`
}

function listText(
  answer: Answer & { kind: 'collection' },
  operation: Operation,
  { url, isMinimal }: AppEnv['Variables'],
  render: Render,
): string {
  const { total } = answer
  const { texts, view } = fitPage(answer, render)
  const link = (query: string) => (query === '' ? url.pathname : `${url.pathname}?${query}`)
  const before = [
    contextMember(operation.shape.type),
    `"@id":${JSON.stringify(url.pathname)}`,
    '"@type":"Collection"',
    ...(total === undefined ? [] : [`"totalItems":${total}`]),
  ]
  // Concatenating costs 0.2 ms less than `join` for 285 kB, which copies every text once more.
  const members = texts.reduce((joined, text) => (joined === '' ? text : `${joined},${text}`), '')
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
  for (const name of ['missing', 'facets', 'corrections', 'suggestions'] as const)
    if (answer[name]) after.push(`"${name}":${JSON.stringify(answer[name])}`)
  if (operation.method === 'GET' && !isMinimal)
    after.push(`"search":${JSON.stringify(searchTemplate(operation, url.pathname))}`)
  return `{${before.join(',')},"member":[${members}]${after.join(',')}}`
}

async function ownContext(type: string, reader: Reader, library: DocumentReader): Promise<string> {
  const document = await library(`context-${type}`, reader)
  if (document === null) throw new Error(`no context of ${type} is published`)
  return document.text().slice(1, -1)
}

function contextMember(type: string): string {
  return `"@context":"/api/contexts/${type}"`
}

/** The media type of exports: a document on each line. */
const linesType = 'application/x-ndjson'
const documentTypes = ['application/ld+json', 'application/json']

/** Whether an operation returns a list that can be exported. */
function isExportable({ method, answers }: Pick<Operation, 'method' | 'answers'>): boolean {
  return method === 'GET' && answers === 'collection'
}

/** Whether the caller prefers the lines of an export to a page of the list. */
export function wantsLines(headers: Headers, operation: Pick<Operation, 'method' | 'answers'>): boolean {
  const ranges = acceptedRanges(headers) ?? []
  const weightOfDocuments = Math.max(...documentTypes.map((type) => weight(type, ranges)))
  return isExportable(operation) && weight(linesType, ranges) > weightOfDocuments
}

/** The media ranges of `Accept` (RFC 9110 §12.5.1); null without the header. */
function acceptedRanges(headers: Headers): MediaRange[] | null {
  const accept = headers.get('accept')
  return accept === null || accept.trim() === '' ? null : accept.split(',').map(mediaRange)
}

/**
 * Demands that the caller accepts a media type of the operation. An operation without a document returns only problems.
 * @throws 406 `http.not_acceptable`
 */
export function requireAcceptable(headers: Headers, operation: Pick<Operation, 'method' | 'answers'>): void {
  const ranges = acceptedRanges(headers)
  if (ranges === null) return
  const types = [...documentTypes]
  if (operation.answers === 'empty') types.push('application/problem+json')
  if (isExportable(operation)) types.push(linesType)
  if (!types.some((type) => weight(type, ranges) > 0)) {
    const help = `The header is Accept: ${truncate(headers.get('accept') ?? '', 100)}. Accept application/ld+json or application/json${isExportable(operation) ? ', or application/x-ndjson for an export' : ''}.`
    throw httpProblems.not_acceptable(undefined, { help })
  }
}

type MediaRange = { readonly type: string; readonly weight: number }

function mediaRange(text: string): MediaRange {
  const [type, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const sound = q === undefined || /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q)
  return { type: type ?? '', weight: sound ? Number(q ?? 1) : 0 }
}

/** The most specific range decides. */
function weight(type: string, ranges: readonly MediaRange[]): number {
  for (const candidate of [type, 'application/*', '*/*']) {
    const matching = ranges.filter((range) => range.type === candidate)
    if (matching.length > 0) return Math.max(...matching.map((range) => range.weight))
  }
  return 0
}

/**
 * The headers that announce the end of a version: `Deprecation` (RFC 9745) since its successor is out, `Sunset`
 * (RFC 8594). Nothing for the current and the rolling version.
 */
function deprecationHeaders({ version, deprecated }: ApiVersion): Readonly<Record<string, string>> {
  const successor = versions[versions.indexOf(version) + 1]
  if (!deprecated || !version.sunset || !successor?.released) return {}
  return {
    Deprecation: `@${Date.parse(successor.released) / 1000}`,
    Sunset: new Date(version.sunset).toUTCString(),
  }
}

const documentationRelation = 'http://www.w3.org/ns/hydra/core#apiDocumentation'

/** Sets the headers that every answer carries, errors included. */
export function setCommonHeaders(response: Response, request: Request, variables: VariablesSoFar): void {
  const { headers } = response
  const { url, locale, apiVersion, session } = variables
  for (const [name, value] of variables.responseHeaders) headers.set(name, value)
  const links = [`<${url.origin}/api/docs.jsonld>; rel="${documentationRelation}"`]
  if (apiVersion) {
    headers.set('Service-Api-Version', apiVersion.version.name)
    if (apiVersion.deprecated) links.push(`<${url.origin}/api/versions>; rel="deprecation"`)
    for (const [name, value] of Object.entries(deprecationHeaders(apiVersion))) headers.set(name, value)
  }
  headers.set('Link', [...links, headers.get('Link') ?? []].flat().join(', '))
  if (!headers.has('Content-Language')) headers.set('Content-Language', locale.requested)
  headers.set('Vary', 'Accept, Authorization, Service-Locale, Service-Api-Version, Origin')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'private, no-cache')
  headers.set('X-Content-Type-Options', 'nosniff')
  if (url.protocol === 'https:') headers.set('Strict-Transport-Security', 'max-age=31536000')
  headers.set('X-Request-Id', variables.requestId)
  const { trips, milliseconds } = session?.stats ?? { trips: 0, milliseconds: 0 }
  const total = performance.now() - variables.started
  headers.set(
    'Server-Timing',
    `total;dur=${total.toFixed(1)}, db;dur=${milliseconds.toFixed(1)};desc="${trips}"`,
  )
  if (variables.tenant?.storefront) setStorefrontHeaders(headers)
  else if (!request.headers.has('origin')) return
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Access-Control-Expose-Headers', exposedHeaders)
}
