/**
 * Undo: a PATCH of a resource to values that it had before, or the deletion of a resource whose creation is undone. Events have the
 * earlier values and their languages.
 */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { readBody } from '../../core/body.ts'
import { keyedRead } from '../../core/idempotency.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonOf, member } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { type Locale, localeOf, writableLocales } from '../../core/locale.ts'
import {
  type Answer,
  type Context,
  type Input,
  namesIn,
  type Operation,
  operation,
  type Resource,
} from '../../core/operation.ts'
import { type Difference, difference, segmentsOf, withValueAt } from '../../core/patch.ts'
import { Problem, type Violation } from '../../core/problem.ts'
import { concurrencyProblems } from '../../core/problems/server.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { anyType, isWritable, readOnly, type Shape, writable } from '../../core/schema.ts'
import { eventActorColumn } from '../../core/trace.ts'
import { pathSegments, throwViolations } from '../../core/violations.ts'
import { instantText } from '../../db/columns.ts'
import { columnsOf, type RowOf, type Statement, statement } from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { iriText, referenceParameter, instantText as shownInstant } from '../shared/properties.ts'
import { bounds, changesBytes, changesColumn, oldest } from './event-sql.ts'
import { revertProblems } from './problems.ts'
import { documentDays, event as eventShape } from './schema.ts'

/** The most events of a resource that a revert reads: those that it undoes, and later ones. */
const maximumEvents = 1000

/** How often a revert reads again, because another write came between. */
const attempts = 4

const eventReference = referenceParameter(eventShape.collection)

const listedEvents = z.array(
  z.object({
    event: iriText,
    resourceVersion: z.int(),
    occurredAt: shownInstant,
    actor: z.object({ subject: z.string(), client: z.string() }),
    properties: z.array(z.string()),
  }),
)
const listedExample = {
  event: '/api/events/01a21df1-36fe-726e-94a2-081fd6b7eba6',
  resourceVersion: 4,
  occurredAt: '2026-11-30T09:12:44.120331Z',
  actor: { subject: 'sync-job', client: 'sync-job' },
  properties: ['title'],
}

/** The shape of the response of a revert, and of its body. */
function shapeOf(collection: string) {
  return {
    type: 'Revert',
    description: 'Earlier values of a resource that were restored.',
    collection,
    readWith: null,
    properties: {
      to: writable(z.int().min(1), 'The version whose values are restored: every later change is undone.', {
        stored: false,
        writeOnly: true,
        example: 3,
      }),
      event: writable(
        z.union([eventReference, z.array(eventReference).min(1).max(maximumEvents)]),
        'The event of the resource whose changes are undone, or several. Other changes stay. The event of its creation deletes the resource.',
        { stored: false, writeOnly: true },
      ),
      resource: readOnly(iriText, 'The resource.', { isLink: true, targetType: anyType }),
      version: readOnly(z.int().nullable(), 'Its version; null if it was deleted.', { example: 5 }),
      restored: readOnly(z.array(z.string()), 'The restored properties.', { example: ['title'] }),
      leftOut: readOnly(
        z.array(z.object({ propertyPath: z.string(), slug: z.string(), detail: z.string() })),
        'The properties that could not be restored, with `partial=true`.',
        { example: [] },
      ),
      undone: readOnly(listedEvents, 'The events whose changes are undone, the newest first.', {
        example: [listedExample],
      }),
      laterChanges: readOnly(listedEvents, 'Later changes of the resource, which stay.', { example: [] }),
      effectiveAt: readOnly(
        shownInstant.nullable(),
        'The time of the last change, from which the restored values apply; null if it was deleted. Prices that applied before it stay.',
      ),
    },
  } satisfies Shape
}

const queryOfReverts = {
  partial: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .meta({
      description: '`true` leaves out what cannot be restored, instead of a 409.',
      addedIn: 'unstable',
    }),
}

const anyRevert = shapeOf('/api/{resource}/{id}/revert')

/** The operations that undo changes of the resources that have events and a PATCH. */
export function revertsOf(
  resources: readonly (Resource & { readonly kind?: Pick<Kind, 'name'> })[],
): Resource {
  return {
    shape: anyRevert,
    problems: Object.values(revertProblems),
    operations: resources.flatMap(({ kind, shape, operations }) => {
      const patch = operations.find(
        ({ method, isUpsert, body }) => method === 'PATCH' && !isUpsert && !body?.isBatch,
      )
      const of = (method: Operation['method']) =>
        operations.find((other) => other.path === patch?.path && other.method === method)
      const [get, remove] = [of('GET'), of('DELETE')]
      return kind && patch && get && remove
        ? [revertOperation({ kind: kind.name, shape, get, patch, remove })]
        : []
    }),
  }
}

/** A resource whose changes can be undone: its name in events, and the operations that undo them. */
type Revertible = {
  readonly kind: string
  readonly shape: Shape
  readonly get: Operation
  readonly patch: Operation
  readonly remove: Operation
}

type RevertInput = Input<{ query: typeof queryOfReverts; body: typeof anyRevert }>

function revertOperation(revertible: Revertible): Operation {
  const { shape: of, get, patch, remove } = revertible
  const shape = shapeOf(`${patch.path}/revert`)
  return operation<string, typeof queryOfReverts, typeof shape, { readonly mode: 'create' }>({
    name: patch.name.replace('patch', 'revert'),
    summary: `Undo changes of a ${of.type}`,
    description: `Send \`to\`, a version, or \`event\`. The values before those changes are restored in every language, by today's rules and as an ordinary change. Changes can be undone for ${documentDays} days. If something cannot be restored, nothing is written: the 409 \`revert.not_restorable\` lists it in \`violations\`.`,
    method: 'POST',
    status: 200,
    comparesIfMatch: true,
    path: shape.collection,
    scope: patch.scope,
    // The response names later events and their actors.
    alsoScopes: [get.scope ?? [], eventShape.readWith].flat(),
    shape,
    answers: 'item',
    query: queryOfReverts,
    body: { mode: 'create' },
    emits: [...new Set([...(patch.emits ?? []), ...(remove.emits ?? [])])],
    alsoFails: [409, 410],
    notFound: patch.notFound,
    async run(context, input) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await revert(revertible, context, input)
        } catch (error) {
          const isRace =
            error instanceof Problem && error.kind.slug === concurrencyProblems.version_mismatch.slug
          if (!isRace || context.ifMatch?.versions) throw error
          if (attempt === attempts) throw concurrencyProblems.busy()
        }
      }
    },
  })
}

async function revert(
  of: Revertible,
  context: Context,
  { params, query, bodies }: RevertInput,
): Promise<Answer> {
  const [{ to = null, event = null } = {}] = bodies
  if (to === null && event === null) throwViolations([validationProblems.required.at('event')])
  if (to !== null && event !== null)
    throwViolations([validationProblems.unknown_property.at('to', { name: 'to', hint: ' (event)' })])
  const id = params[namesIn(of.patch.path).at(-1) ?? ''] ?? ''
  const keyed = keyedRead(context)
  const [document, { events }] = await Promise.all([
    currentDocument(of, context, params),
    keyed.read({ events: eventsStatement(of.kind, id, { to, ids: [event ?? []].flat() }) }),
  ])
  const isReplay = (await keyed.key()) !== null
  if (!document && !isReplay)
    throw events[0]?.topic.endsWith('/deleted') ? revertProblems.deleted() : of.patch.notFound({ id })
  const version = Number(document?.version ?? 0)
  const selected = { to, event }
  const plan = (rows: readonly EventRow[]) => {
    const chosen = chosenEvents(rows, selected)
    return { chosen, undone: undoneChanges(of, context, rows, chosen, document ?? {}) }
  }
  const send = (isDeletion: boolean, undone: Undone | null) =>
    isDeletion
      ? of.remove.run(writingContext(context, version), inputOf(of.remove, params, {}))
      : patch(of, context, params, version, undone, query.partial)
  const iri = of.patch.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  if (isReplay) {
    const chosen = chosenEvents(events, selected)
    const isDeletion = chosen.some(isCreation)
    const answer = await send(isDeletion, null)
    // The events that the first request read.
    const earlier = events.filter((each) =>
      answer.kind === 'item' ? each.version < Number(answer.version) : chosen.includes(each),
    )
    return revertAnswer(of, context, iri, { answer, events: earlier, ...plan(earlier) })
  }
  const { chosen, undone } = plan(events)
  requireUndoable(events, chosen, selected, version, context.now)
  if (!query.partial) requireRestorable(undone.failures)
  const answer = await send(undone.isDeletion, undone)
  return revertAnswer(of, context, iri, { answer, events, chosen, undone })
}

/** The resource as it is; null if it does not exist. */
async function currentDocument(
  { get }: Revertible,
  context: Context,
  params: Input['params'],
): Promise<JsonObject | null> {
  try {
    const answer = await get.run({ ...context, selectedMembers: null }, inputOf(get, params, {}))
    const document = answer.kind === 'item' ? jsonOf(answer.document ?? {}) : null
    return isJsonObject(document) ? document : null
  } catch (error) {
    if (error instanceof Problem && error.kind.status === 404) return null
    throw error
  }
}

/** The input of an operation without a query, whose body is parsed. */
function inputOf(
  { query }: Pick<Operation, 'query'>,
  params: Input['params'],
  body: Input['bodies'][number],
): Input {
  const creation = () => body
  return { params, query: z.object(query).parse({}), bodies: [body], bulk: false, creation, upload: null }
}

const eventRow = {
  ...columnsOf(z.string(), 'id', 'topic', 'occurredAt'),
  version: z.number(),
  locale: z.string().nullable(),
  actor: eventActorColumn,
  changes: z.array(difference).readonly(),
  /** The number of events that the request selects. */
  total: z.number(),
}
type EventRow = RowOf<typeof eventRow>

/** Reads the events after a version, or from the oldest of some on, the newest first. */
function eventsStatement(
  kind: string,
  id: string,
  { to, ids }: { to: number | null; ids: readonly string[] },
): Statement<EventRow> {
  const ofResource = sql`tenant_id = current_tenant() and kind = ${kind} and resource_id = ${id}::uuid`
  const first =
    to === null
      ? sql`(select min(sequence) from events where tenant_id = current_tenant() and id = any(${uuidArray(ids)}))`
      : sql`(select coalesce(max(sequence), 0) + 1 from (
          select sequence from events where ${ofResource} and resource_version <= ${to}::int order by sequence desc limit 1) as last)`
  return statement(eventRow)`
    select id, topic, ${instantText(sql`occurred_at`)} as "occurredAt", resource_version as version, locale, actor, ${changesColumn} as changes, total
      from (select e.*, sum(${changesBytes}) over newest as bytes, row_number() over newest as n, count(*) over ()::int as total
              from events e where ${ofResource} and sequence >= ${first} and effective_at is null
            window newest as (order by sequence desc)) e
     where n <= ${maximumEvents} and (n = 1 or bytes <= ${bounds.changes}) order by sequence desc`
}

const isCreation = ({ topic }: EventRow) => topic.endsWith('/created')

type Selected = { readonly to: number | null; readonly event: string | readonly string[] | null }

/** The events to undo, the newest first. */
function chosenEvents(events: readonly EventRow[], { to, event }: Selected): readonly EventRow[] {
  return to === null ? events.filter(({ id }) => [event].flat().includes(id)) : events
}

/** @throws Problem 410 if an event is too old, 409 if there are too many, 422 if one is unknown */
function requireUndoable(
  events: readonly EventRow[],
  chosen: readonly EventRow[],
  { to, event }: Selected,
  version: number,
  now: Date,
): void {
  if (to !== null && to > version)
    throwViolations([validationProblems.too_big.at('to', { maximum: version })])
  if (events.length < (events[0]?.total ?? 0)) throw revertProblems.too_many_changes()
  throwViolations(
    [event ?? []]
      .flat()
      .filter((id) => !chosen.some((each) => each.id === id))
      .map((id) =>
        validationProblems.unknown_reference.at('event', { iri: `${eventShape.collection}/${id}` }),
      ),
  )
  // A resource that was moved from another service may have no events of its first versions.
  const isRecorded = to === null || to === version || chosen.at(-1)?.version === to + 1
  if (!isRecorded || chosen.some(({ occurredAt }) => occurredAt < oldest(now))) throw revertProblems.expired()
}

/** The earlier values of the undone changes, and what cannot be restored. */
type Undone = {
  isDeletion: boolean
  readonly values: Map<string, Json>
  /** Texts by locale. */
  readonly texts: Map<string, Map<string, Json>>
  readonly failures: Violation[]
}

/** The place of a difference: a property, the locale of a text, and the rest of its path. */
type Place = {
  readonly name: string
  readonly locale: string | null | undefined
  readonly rest: readonly (string | number)[]
  readonly before: Json
}

/** Applies the changes of the chosen events backwards, beginning with the present values. */
function undoneChanges(
  of: Revertible,
  context: Context,
  events: readonly EventRow[],
  chosen: readonly EventRow[],
  document: JsonObject,
): Undone {
  const undone: Undone = {
    isDeletion: false,
    values: new Map(),
    texts: new Map(),
    failures: [],
  }
  const later = new Map<string, EventRow>()
  for (const event of events) {
    const places = event.changes.flatMap((change) =>
      placesOf(change, event, of).map((place) => ({ change, place })),
    )
    if (!chosen.includes(event)) for (const { place } of places) later.set(keyOf(place), event)
    else if (isCreation(event)) {
      const [next] = later.values()
      if (next) undone.failures.push(changedLater('', next))
      else undone.isDeletion = true
    } else
      for (const { change, place } of places) {
        const next = later.get(keyOf(place))
        // Properties that the service derives follow the others.
        if (member(of.shape.properties, place.name)?.writable === 'never') continue
        const reason = next ? null : unrestorable(change, place, of, context)
        if (next) undone.failures.push(changedLater(change.path, next))
        else if (reason !== null)
          undone.failures.push(revertProblems.not_restorable.at(change.path, {}, reason))
        else restore(undone, place, of.shape, document)
      }
  }
  return undone
}

function changedLater(path: string, { id, actor }: EventRow): Violation {
  const event = `${eventShape.collection}/${id}`
  return revertProblems.changed_later.at(
    path,
    { event },
    `${actor.subject} changed it by ${event}. Undo that event as well.`,
  )
}

function placesOf(
  { path, before, after }: Difference,
  { locale }: EventRow,
  { kind, shape: { properties } }: Revertible,
): Place[] {
  const [name = '', ...nested] = segmentsOf(path)
  if (name !== 'translations') {
    // The definition of a metaobject decides which of its fields are texts.
    const isText =
      member(properties, String(name))?.translatable || (kind === 'metaobjects' && name === 'fields')
    return [{ name: String(name), locale: isText ? locale : undefined, rest: nested, before }]
  }
  const [second, third, ...rest] = nested
  if (third !== undefined) return [{ name: String(third), locale: String(second), rest, before }]
  // All texts of a locale were added or removed.
  const names = new Set([before, after].flatMap((texts) => (isJsonObject(texts) ? Object.keys(texts) : [])))
  const textBefore = (text: string) => (isJsonObject(before) ? (member(before, text) ?? null) : null)
  return [...names].map((text) => ({
    name: text,
    locale: String(second),
    rest: [],
    before: textBefore(text),
  }))
}

const keyOf = ({ name, locale, rest }: Place) =>
  JSON.stringify([locale ?? '', name, name === 'fields' ? rest[0] : ''])

/** The reason why a change cannot be undone, in English; null if it can. */
function unrestorable(
  { omitted }: Difference,
  { name, locale, rest }: Place,
  { shape }: Revertible,
  { access, tenant }: Context,
): string | null {
  const property = member(shape.properties, name)
  if (!property || !isWritable(property, 'patch')) return 'A PATCH cannot write this property.'
  if (!access.seesProperty(shape, name)) return 'Your token may not read this property.'
  if (omitted) return 'The earlier value was too large to be stored.'
  if (name === 'fields' && rest.length === 0) return 'The order of fields cannot be restored.'
  if (locale === null) return 'The language of the earlier text was not recorded.'
  if (locale !== undefined && !writableLocales(tenant).includes(locale))
    return `The catalogue has no texts in ${locale} any more.`
  return null
}

function restore(
  undone: Undone,
  { name, locale, rest, before }: Place,
  { properties }: Shape,
  document: JsonObject,
): void {
  const value = rest.length === 0 ? withAllMembers(member(properties, name)?.schema, before) : before
  const isText = typeof locale === 'string'
  const target = isText ? (undone.texts.get(locale) ?? new Map<string, Json>()) : undone.values
  if (isText) undone.texts.set(locale, target)
  const known = target.get(name)
  if (name === 'fields') target.set(name, withField(known ?? {}, rest, value, document))
  else target.set(name, withValueAt(known ?? (isText ? undefined : document[name]), rest, value))
}

/** An object as a merge patch that removes all members that it does not have. */
function withAllMembers(schema: z.ZodType | undefined, value: Json): Json {
  if (!(schema instanceof z.ZodObject) || !isJsonObject(value)) return value
  return { ...Object.fromEntries(Object.keys(schema.shape).map((name) => [name, null])), ...value }
}

/** The body member `fields` with one more earlier value or type. */
function withField(fields: Json, [key = '', part]: Place['rest'], before: Json, document: JsonObject): Json {
  const known = isJsonObject(fields) ? member(fields, String(key)) : undefined
  const entry = isJsonObject(known) ? known : {}
  if (part === undefined)
    return withValueAt(fields, [key], before === null ? null : { ...entry, value: before })
  if (before === null || known === null) return fields
  const present = isJsonArray(document.fields)
    ? document.fields.find((field) => isJsonObject(field) && field.key === key)
    : undefined
  const value = isJsonObject(present) ? (member(present, 'value') ?? null) : null
  return withValueAt(fields, [key], { value, ...entry, type: before })
}

/**
 * Sends the earlier values as a PATCH, or an empty one for a replay. If some are rejected and the rest shall be restored, it is sent again
 * without them.
 */
async function patch(
  of: Revertible,
  context: Context,
  params: Input['params'],
  version: number,
  undone: Undone | null,
  isPartial: boolean,
): Promise<Answer> {
  for (;;) {
    try {
      const locale = undone ? localeOfTexts(undone, context) : context.locale
      const body = undone
        ? Object.fromEntries([...undone.values, ...(undone.texts.get(locale.requested) ?? [])])
        : {}
      const { values, violations } = readBody(body, of.patch.body?.shape ?? of.shape, 'patch')
      throwViolations(violations)
      context.requireScopes(
        Object.entries(body).flatMap(
          ([name, value]) => member(of.shape.properties, name)?.neededScopes?.scopes(value) ?? [],
        ),
      )
      return await of.patch.run(
        { ...writingContext(context, version), locale },
        inputOf(of.patch, params, values),
      )
    } catch (error) {
      const rejected = (error instanceof Problem && error.extras.violations) || []
      if (!undone) throw error
      const { requested } = localeOfTexts(undone, context)
      if (
        rejected.length === 0 ||
        !rejected.every(({ propertyPath }) => leaveOut(undone, propertyPath, requested))
      )
        throw error
      undone.failures.push(...rejected)
      if (!isPartial) requireRestorable(undone.failures)
    }
  }
}

/** The locale of the PATCH: the default if texts of it are restored, otherwise the first. It has the texts of the others. */
function localeOfTexts({ texts }: Pick<Undone, 'texts'>, { tenant, locale }: Context): Locale {
  const names = tenant.locales.filter((name) => texts.has(name))
  const [
    requested = writableLocales(tenant).includes(locale.requested) ? locale.requested : tenant.locales[0],
    ...others
  ] = names
  const otherTexts = others.map((name) => ({
    locale: localeOf(tenant.locales, name),
    texts: Object.fromEntries(texts.get(name) ?? []),
  }))
  return { ...localeOf(tenant.locales, requested), ...(otherTexts.length > 0 && { otherTexts }) }
}

/** Removes the restored value at the path of a violation. Returns whether there was one. */
function leaveOut({ values, texts }: Undone, path: string, requested: string): boolean {
  const [name, second, third] = pathSegments(path)
  if (name === 'translations') return texts.get(String(second))?.delete(String(third)) ?? false
  const fields = values.get('fields')
  if (name === 'fields' && isJsonObject(fields) && second !== undefined) {
    const { [String(second)]: rejected, ...rest } = fields
    values.set('fields', rest)
    return rejected !== undefined
  }
  return values.delete(String(name)) || (texts.get(requested)?.delete(String(name)) ?? false)
}

/** @throws Problem 409 `revert.changed_later` if all failures are of that kind, else `revert.not_restorable` */
function requireRestorable(violations: readonly Violation[]): void {
  const [first] = violations
  if (!first) return
  const { changed_later, not_restorable } = revertProblems
  if (violations.some(({ problem }) => problem.slug !== changed_later.slug))
    throw not_restorable(undefined, { violations })
  throw new Problem(first.problem, first.values, { violations })
}

/** A context that requires the version that was read, and the caller's. */
function writingContext(context: Context, version: number): Context {
  const { ifMatch } = context
  const versions = ifMatch?.versions?.includes(version) === false ? ifMatch.versions : [version]
  return { ...context, selectedMembers: null, ifMatch: { versions, exists: null, isCompared: false } }
}

type Reverted = {
  readonly answer: Answer
  readonly events: readonly EventRow[]
  readonly chosen: readonly EventRow[]
  readonly undone: Undone
}

function revertAnswer(
  { shape }: Revertible,
  context: Context,
  iri: string,
  { answer, events, chosen, undone }: Reverted,
): Answer {
  const isItem = answer.kind === 'item'
  const newVersion = isItem ? answer.version : null
  const { replayed = false } = answer
  const oldest = events.findLastIndex((event) => chosen.includes(event))
  const document = isItem ? jsonOf(answer.document ?? {}) : null
  const updatedAt = isJsonObject(document) ? (document.updatedAt ?? null) : null
  const listed = (rows: readonly EventRow[]) =>
    rows.map(({ id: event, version: resourceVersion, occurredAt, actor: { subject, client }, changes }) => ({
      event: `${eventShape.collection}/${event}`,
      resourceVersion,
      occurredAt,
      actor: { subject, client },
      properties: [...new Set(changes.map(({ path }) => String(segmentsOf(path)[0])))].filter((name) =>
        context.access.seesProperty(shape, name),
      ),
    }))
  return {
    kind: 'item',
    document: {
      '@id': `${iri}/revert`,
      '@type': anyRevert.type,
      resource: iri,
      version: newVersion,
      restored: undone.isDeletion ? [] : restoredPaths(undone, context),
      leftOut: undone.failures.map(({ propertyPath, problem, help }) => ({
        propertyPath,
        slug: problem.slug,
        detail: help ?? problem.description,
      })),
      undone: listed(chosen),
      laterChanges: listed(events.slice(0, oldest + 1).filter((event) => !chosen.includes(event))),
      effectiveAt: updatedAt,
    },
    version: newVersion,
    replayed,
  }
}

function restoredPaths({ values, texts }: Undone, context: Context): string[] {
  const { requested } = localeOfTexts({ texts }, context)
  const fields = values.get('fields')
  return [
    ...[...values.keys()].filter((name) => name !== 'fields'),
    ...(isJsonObject(fields) ? Object.keys(fields).map((key) => `fields.${key}`) : []),
    ...[...texts].flatMap(([locale, names]) =>
      [...names.keys()].map((name) => (locale === requested ? name : `translations.${locale}.${name}`)),
    ),
  ]
}
