/** Batches: several merge patches of one kind in one commit, each performed as its own PATCH would be. */

import type { MiddlewareHandler } from 'hono'
import { Access } from '../core/access.ts'
import { epochOf } from '../core/context.ts'
import { relativeIri } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, member } from '../core/json.ts'
import { byteLimits } from '../core/limits.ts'
import { bodyTypes, type Operation } from '../core/operation.ts'
import { envelopeBytes } from '../core/paging.ts'
import type { Violation } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { validationProblems } from '../core/problems/validation.ts'
import { bytesOf } from '../core/sizes.ts'
import { pathText, throwViolations } from '../core/violations.ts'
import { allScopes } from '../resources/index.ts'
import { bodyBytes, jsonIn, requireArraySize } from './body.ts'
import { withEffects } from './dry-run.ts'
import { countRows } from './rate-limit.ts'
import type { AppEnv } from './request.ts'
import { hashOf, responseOf } from './response.ts'
import type { PerformJointly, Subrequest, Subresponse } from './subrequests.ts'

type Element = { readonly iri: string; readonly version: number | null; readonly patch: JsonObject }

/** Performs the patches of a batch. A repeated request with the same `Idempotency-Key` repeats each of them. */
export function performBatch(
  operation: Operation,
  performJointly: PerformJointly,
): MiddlewareHandler<AppEnv> {
  return async function performBatch(c) {
    if (c.req.raw.headers.has('if-match')) {
      const help = 'A batch compares the member `version` of each element instead.'
      throw httpProblems.malformed_header({ header: 'If-Match' }, { help })
    }
    const bytes = await bodyBytes(c.req.raw)
    const json = jsonIn(bytes)
    c.set('received', json)
    if (!isJsonArray(json)) throwViolations([validationProblems.type.at('', { expected: 'array' })])
    requireArraySize(json, operation)
    const rows = isJsonArray(json) ? json : []
    await countRows(rows.length, c)
    const elements = elementsOf(rows, operation, c.req.param())
    const variables = c.var
    const { url, tenant, dryRun } = variables
    const key = dryRun ? null : variables.idempotencyKey
    const keyOf = key === null ? null : await keysOfElements(key)
    const epoch = epochOf(tenant)
    const requests = elements.map(({ iri, version, patch }, index): Subrequest => {
      const headers = {
        'Content-Type': String(bodyTypes.patch[0]),
        ...(version !== null && { 'If-Match': `"${version}${epoch === 0 ? '' : `-e${epoch}`}."` }),
        ...(keyOf && { 'Idempotency-Key': keyOf(index) }),
      }
      return { method: 'PATCH', path: `${iri}${url.search}`, body: patch, headers }
    })
    const batchDigest = new TextEncoder().encode(await hashOf(bytes))
    const caller = {
      variables: { ...variables, batchDigest },
      bindings: c.env,
      executionContext: c.executionCtx,
    }
    const documents = boundedDocuments()
    const { documentOf } = documents
    const responses = await performJointly(caller, requests, { preventsAll: isFailure, documentOf })
    const failures = responses.flatMap((response, index) =>
      isFailure(response) ? [{ response, index }] : [],
    )
    throwViolations(
      failures
        .filter(({ response }) => response.status === 404)
        .map(({ index }) =>
          validationProblems.unknown_reference.at(pathText([index, '@id']), {
            iri: elements[index]?.iri ?? '',
          }),
        ),
    )
    const [first] = failures
    if (member(jsonObjectOf(first?.response.document ?? null), 'slug') === 'server.answer_too_large') {
      const help = 'The resources are too large to be read at once. Nothing was changed. Send fewer elements.'
      throw httpProblems.batch_too_large({ limit: byteLimits.answer }, { help })
    }
    if (first) return problemOf(first, failures, elements)
    if (responses.every(({ headers }) => headers.has('Idempotency-Replayed')))
      variables.responseHeaders.set('Idempotency-Replayed', 'true')
    reportIgnored(responses, variables.responseHeaders)
    const list = {
      '@context': `/api/contexts/${operation.shape.type}`,
      '@id': url.pathname,
      '@type': 'Collection',
      totalItems: responses.length,
      member: documents.bounded(responses.map(({ document }) => withoutContext(document))),
    }
    const body = new TextEncoder().encode(JSON.stringify(list))
    const response = { status: 200, headers: [], etag: `W/"${await hashOf(body)}"`, body }
    const access = Access.of(variables.actor, allScopes)
    const answer = dryRun ? withEffects(response, dryRun.effects({ access })) : response
    c.set('responseBytes', answer.body.byteLength)
    return responseOf(answer, false, c.req.raw)
  }
}

/** Parses the documents of a response. If they exceed its bytes, each has only the members that identify it. */
function boundedDocuments() {
  let remainingBytes = byteLimits.answer - envelopeBytes
  const identityOf = (document: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(document).filter(([name]) => /^(?:@id|@type|id|version)$/.test(name)))
  return {
    documentOf({ ok }: Response, text: string): Json {
      remainingBytes -= bytesOf(text) + 1
      const document = JSON.parse(text)
      // A batch stores only these members until its response.
      return ok && remainingBytes < 0 ? identityOf(document) : document
    },
    bounded: (documents: readonly JsonObject[]) =>
      remainingBytes < 0 ? documents.map(identityOf) : documents,
  }
}

function isFailure({ status }: Subresponse): boolean {
  return status >= 400 && status !== 424
}

/** @throws Problem 422 for elements without the IRI of a resource of the list, for a repeated one, and for repeated names */
function elementsOf(
  rows: readonly Json[],
  { path }: Operation,
  params: Readonly<Record<string, string>>,
): Element[] {
  const list = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const violations: Violation[] = []
  const seen = new Set<string>()
  const elements = rows.flatMap((row, index): Element[] => {
    const at = (name: string) => pathText([index, name])
    if (!isJsonObject(row)) {
      violations.push(validationProblems.type.at(pathText([index]), { expected: 'object' }))
      return []
    }
    const { '@id': id, version, ...patch } = row
    const iri = typeof id === 'string' ? relativeIri(id) : null
    if (iri === null || !iri.startsWith(`${list}/`) || iri.slice(list.length + 1).includes('/')) {
      violations.push(
        id === undefined
          ? validationProblems.required.at(at('@id'))
          : validationProblems.unknown_reference.at(at('@id'), { iri: String(id).slice(0, 200) }),
      )
      return []
    }
    if (version !== undefined && version !== null && !(Number.isSafeInteger(version) && Number(version) > 0))
      violations.push(validationProblems.type.at(at('version'), { expected: 'integer' }))
    for (const name of ['@id', 'externalId', 'handle', 'sku']) {
      const value = name === '@id' ? iri : member(row, name)
      if (typeof value !== 'string' || value === '') continue
      const key = `${name} ${value}`
      if (seen.has(key)) violations.push(validationProblems.duplicate_item.at(at(name), {}))
      seen.add(key)
    }
    return [{ iri, version: typeof version === 'number' ? version : null, patch }]
  })
  throwViolations(violations)
  return elements
}

/** The keys of the elements by their index, derived from that of the batch. Each finds a key that was used for another batch. */
async function keysOfElements(key: string): Promise<(index: number) => string> {
  const digest = await hashOf(new TextEncoder().encode(key))
  return (index) => `batch-${digest}-${index}`
}

type Failure = { readonly response: Subresponse; readonly index: number }

/** The problem of the first rejected element, with the violations of all that have the same status, and a list of all. */
function problemOf(
  { response: first }: Failure,
  failures: readonly Failure[],
  elements: readonly Element[],
): Response {
  const same = failures.filter(({ response }) => response.status === first.status)
  const violations = same.flatMap(({ response, index }) => violationsIn(response.document, index))
  const violationsTotal = same.reduce(
    (sum, { response }) => sum + Number(jsonObjectOf(response.document).violationsTotal ?? 0),
    0,
  )
  const problem = {
    ...jsonObjectOf(first.document),
    ...(violations.length > 0 && {
      violations: violations.slice(0, byteLimits.violations),
      violationsTotal,
    }),
    failures: failures.map(({ response, index }) => {
      const { status, code, slug, message, detail, currentVersion } = jsonObjectOf(response.document)
      return { index, '@id': elements[index]?.iri, status, code, slug, message, detail, currentVersion }
    }),
  }
  const headers = new Headers(first.headers)
  headers.delete('Content-Length')
  return new Response(JSON.stringify(problem), { status: first.status, headers })
}

function violationsIn(document: Json, index: number): JsonObject[] {
  const violations = member(jsonObjectOf(document), 'violations') ?? null
  if (!isJsonArray(violations)) return []
  return violations.map((violation) => {
    const object = jsonObjectOf(violation)
    const path = member(object, 'propertyPath')
    return { ...object, propertyPath: path === '' ? `[${index}]` : `[${index}].${path}` }
  })
}

function jsonObjectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {}
}

function withoutContext(document: Json): JsonObject {
  const { '@context': _, ...rest } = jsonObjectOf(document)
  return rest
}

/** Adds the ignored members of all elements to the header of the response. */
function reportIgnored(responses: readonly Subresponse[], headers: Headers): void {
  const names = responses.flatMap(({ headers: own }, index) =>
    (own.get('Service-Ignored-Properties') ?? '')
      .split(', ')
      .filter((name) => name !== '')
      .map((name) => `[${index}].${name}`),
  )
  if (names.length > 0) headers.set('Service-Ignored-Properties', names.slice(0, 50).join(', '))
}
