/** Writes products: few by single upserts, many by bulk operations. */
import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../cli/command.ts'
import { type Client, concurrently, Refusal, type Violation } from '../cli/http.ts'
import { duration, type Progress } from '../cli/output.ts'
import { type ImportedProduct, pricesOf } from './product.ts'
import { remarksOn } from './rejected.ts'
import type { Report } from './report.ts'
import {
  bodiesOf,
  findProducts,
  link,
  productsPerRequest,
  type StoredProduct,
  type Target,
  untranslated,
  upsertPath,
  variantsPerRequest,
  withDetails,
} from './upsert.ts'

/** Requests under way at once. */
const requestsAtOnce = 8
/** Bytes of a bulk operation. The service accepts 50 MB. */
const maximumBytes = 45_000_000
/** Milliseconds of a commit of a bulk operation. */
const commitMs = 3000

/** The surroundings of an import. */
export type Import = {
  readonly client: Client
  readonly target: Target
  readonly progress: Progress
  readonly report: Report
  /** Aborted when the user cancels the import. */
  readonly signal: AbortSignal
  /** More products than these are written by bulk operations. */
  readonly bulkAbove: number
}

type Upsert = {
  readonly product: ImportedProduct
  readonly stored: StoredProduct | null
  readonly path: string
  readonly bodies: readonly object[]
  /** Whether it was rejected before because of a conflict, which another product of the file may have ended. */
  readonly isRepeated: boolean
}

/** The result of an upsert. `commits` are the times of its changes. */
type Outcome =
  | { readonly refusal: Refusal }
  | {
      readonly effect: 'created' | 'changed' | 'unchanged'
      readonly iri: string
      readonly commits: readonly string[]
    }

/** An import that a failure stops as well. */
type Work = Import & { readonly fail: (cause: unknown) => void }

/**
 * Writes products, and the accepted parts of rejected ones after all others. Conflicts are tried again then. Without an outcome, a
 * product remains unread. @throws the first failure, after all requests have ended and their writes are counted
 */
export async function writeProducts(products: readonly ImportedProduct[], given: Import): Promise<void> {
  const failure = new AbortController()
  const signal = AbortSignal.any([given.signal, failure.signal])
  const work: Work = { ...given, signal, fail: (cause) => failure.abort(cause) }
  let pending = await upsertsOf(products, work)
  while (pending.length > 0 && !signal.aborted) {
    const outcomes = await (pending.length > given.bulkAbove ? performTogether : performEach)(pending, work)
    const written = await concurrently(requestsAtOnce, pending, async (upsert) => {
      const outcome = outcomes.get(upsert)
      if (outcome && 'refusal' in outcome) return nextOf(upsert, outcome.refusal, work)
      return outcome ? count(upsert, outcome, work) : null
    })
    pending = written.flatMap((next) => next ?? [])
  }
  failure.signal.throwIfAborted()
}

/** Looks up products, and plans their upserts. */
async function upsertsOf(products: readonly ImportedProduct[], given: Work): Promise<Upsert[]> {
  const { client, target, progress, report } = given
  const upserts: Upsert[] = []
  progress.start(products.length)
  for (let first = 0; first < products.length; first += productsPerRequest) {
    if (given.signal.aborted) return []
    progress.show('products are looked up', first, `${first} of ${products.length}`)
    const some = products.slice(first, first + productsPerRequest)
    const found = await findProducts(
      client,
      some.map(({ handle }) => handle),
    )
    const linked = await link(
      client,
      [...found.values()].filter(({ externalId }) => !externalId),
    )
    report.linked += linked.length
    const byIri = new Map(linked.map((product) => [product['@id'], product]))
    const planned = await concurrently(requestsAtOnce, some, async (product): Promise<Upsert[]> => {
      const known = found.get(product.handle)
      const stored = known
        ? await withDetails({ ...known, ...byIri.get(known['@id']) }, product, given)
        : null
      const strange = stored && untranslated(product, stored)
      if (strange) {
        report.rejectProduct(product, [strange])
        return []
      }
      const bodies = bodiesOf(product, stored, target)
      return [{ product, stored, path: upsertPath(stored), bodies, isRepeated: false }]
    })
    upserts.push(...planned.flat())
  }
  progress.stop()
  return upserts
}

type Outcomes = ReadonlyMap<Upsert, Outcome>

/** Sends upserts, some at once. Of two products with one SKU, the first in the file has it. */
async function performEach(
  upserts: readonly Upsert[],
  { client, progress, signal, fail }: Work,
): Promise<Outcomes> {
  const outcomes = new Map<Upsert, Outcome>()
  const lastOf = new Map<string, Promise<unknown>>()
  progress.start(upserts.length)
  await concurrently(requestsAtOnce, upserts, async (upsert) => {
    const skus = upsert.product.variants.flatMap(({ sku }) => sku ?? [])
    const performed = Promise.allSettled(skus.map((sku) => lastOf.get(sku))).then(() =>
      signal.aborted ? null : perform(client, upsert).catch(fail),
    )
    for (const sku of skus) lastOf.set(sku, performed)
    const outcome = await performed
    if (outcome) outcomes.set(upsert, outcome)
    progress.show('products are written', outcomes.size, `${outcomes.size} of ${upserts.length}`)
  })
  progress.stop()
  return outcomes
}

async function perform(client: Client, { path, bodies }: Upsert): Promise<Outcome> {
  const outcomes: { status: number; isChanged: boolean; iri: string; at: string }[] = []
  for (const body of bodies) {
    const reply = await client.send('PATCH', `${path}?properties[]=updatedAt`, body)
    const document = reply.body as { '@id': string; updatedAt: string }
    if (reply.status > 299) return { refusal: refusalOf(reply, outcomes.length) }
    const isChanged = reply.headers['service-changed'] === 'true'
    outcomes.push({ status: reply.status, isChanged, iri: document['@id'], at: document.updatedAt })
  }
  const [first] = outcomes
  const commits = outcomes.flatMap(({ isChanged, at }) => (isChanged ? [at] : []))
  const effect = first?.status === 201 ? 'created' : commits.length > 0 ? 'changed' : 'unchanged'
  return { effect, iri: first?.iri ?? '', commits }
}

type Result = {
  readonly line: number
  readonly status: number
  readonly resource: string
  readonly problem: unknown
}

/** Performs upserts by bulk operations, then those that need several requests. */
async function performTogether(upserts: readonly Upsert[], given: Work): Promise<Outcomes> {
  const outcomes = new Map<Upsert, Outcome>()
  const small = upserts.filter(({ bodies }) => bodies.length === 1)
  for (const some of filesOf(small)) {
    if (given.signal.aborted) break
    const results = await performFile(some.lines, given).catch(given.fail)
    for (const result of results ?? []) {
      const upsert = some.upserts[result.line - 1]
      try {
        if (upsert) outcomes.set(upsert, outcomeOf(result))
      } catch (error) {
        given.fail(error)
      }
    }
  }
  await findCommits(outcomes, given).catch(given.fail)
  const large = upserts.filter(({ bodies }) => bodies.length > 1)
  return new Map([...outcomes, ...(large.length > 0 ? await performEach(large, given) : [])])
}

/** The outcome of a line. Whether a product is changed is found out later. */
function outcomeOf({ status, resource, problem }: Result): Outcome {
  if (status > 299) return { refusal: refusalOf({ status, body: problem }) }
  return { effect: status === 201 ? 'created' : 'changed', iri: resource, commits: [] }
}

/** The lines of bulk operations within the size of a file. */
function* filesOf(upserts: readonly Upsert[]) {
  let file: { upserts: Upsert[]; lines: string[] } = { upserts: [], lines: [] }
  let bytes = 0
  for (const upsert of upserts) {
    const line = JSON.stringify({ method: 'PATCH', path: upsert.path, body: upsert.bodies[0] })
    const size = Buffer.byteLength(line) + 1
    if (bytes + size > maximumBytes) {
      yield file
      file = { upserts: [], lines: [] }
      bytes = 0
    }
    file.upserts.push(upsert)
    file.lines.push(line)
    bytes += size
  }
  if (file.lines.length > 0) yield file
}

type Operation = {
  readonly '@id': string
  readonly status: string
  readonly lines: number
  readonly processed: number
  readonly linesPerSecond: number | null
  readonly remainingSeconds: number | null
  readonly finishedAt: string | null
}

/** Performs the lines of a file, and returns the results of the performed ones. */
async function performFile(
  lines: readonly string[],
  { client, progress, signal }: Import,
): Promise<Result[]> {
  const path = '/api/bulk_operations'
  const file = Buffer.from(lines.join('\n'))
  let operation = await client.write<Operation>('POST', path, file, {
    'content-type': 'application/x-ndjson',
  })
  progress.start(lines.length)
  for (; operation.finishedAt === null; operation = await client.read(operation['@id'])) {
    if (signal.aborted) await client.send('DELETE', operation['@id'])
    const { processed, linesPerSecond: rate, remainingSeconds: rest } = operation
    const speed = rate === null ? '' : `, ${Math.round(rate)} per second`
    const left = rest === null ? '' : `, ${duration(rest)} left`
    progress.show('products are written', processed, `${processed} of ${lines.length}${speed}${left}`)
    await wait(500, null, { signal }).catch(() => undefined)
  }
  progress.show('products are written', operation.processed, `${operation.processed} of ${lines.length}`)
  progress.stop()
  // A commit that had begun ends after a cancellation.
  if (operation.status === 'CANCELLED') await wait(commitMs)
  if (operation.status === 'FAILED') throw new Failure(`The bulk operation ${operation['@id']} has failed.`)
  const results = await client.send('GET', `${operation['@id']}/results`, undefined, {
    accept: 'application/x-ndjson',
  })
  if (results.status > 299) throw new Refusal(results)
  return results.text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
}

/** Finds out which existing products bulk operations have changed, and when: by their versions. */
async function findCommits(outcomes: Map<Upsert, Outcome>, { client }: Import): Promise<void> {
  const changed = [...outcomes].flatMap(([upsert, outcome]) =>
    'refusal' in outcome || outcome.effect !== 'changed' ? [] : [{ upsert, outcome }],
  )
  for (let first = 0; first < changed.length; first += productsPerRequest) {
    const some = changed.slice(first, first + productsPerRequest)
    const handles = some.map(({ upsert }) => upsert.product.handle)
    const found = await findProducts<StoredProduct & { updatedAt: string }>(client, handles)
    for (const { upsert, outcome } of some) {
      const { version, updatedAt } = found.get(upsert.product.handle) ?? {}
      if (version !== undefined && version === upsert.stored?.version)
        outcomes.set(upsert, { ...outcome, effect: 'unchanged' })
      else outcomes.set(upsert, { ...outcome, commits: updatedAt === undefined ? [] : [updatedAt] })
    }
  }
}

/** Counts a written product, its variants and prices. */
async function count(
  { product }: Upsert,
  { effect, iri, commits }: Exclude<Outcome, { refusal: Refusal }>,
  { client, report }: Import,
): Promise<null> {
  report.settle(product.rows, effect)
  if (effect === 'created' && product.published === undefined && !product.isPartial) report.undecided += 1
  const all = { variants: product.variants.length, prices: pricesOf(product) }
  const paths = {
    variants: `${iri}/variants?`,
    prices: `/api/sale_offers?product=${encodeURIComponent(iri)}&`,
  }
  for (const what of ['variants', 'prices'] as const) {
    let rest = all[what]
    for (const at of effect === 'created' ? [] : commits) {
      if (rest === 0) continue
      // The rows of a commit have the microseconds before its last one, which is that of the product.
      const after = new Date(Date.parse(at) - 2).toISOString()
      const written = await client.list<{ createdAt: string; updatedAt: string }>(
        `${paths[what]}updatedAt[after]=${after}&updatedAt[before]=${at}&itemsPerPage=100&properties[]=createdAt&properties[]=updatedAt`,
      )
      const created = written.filter(({ createdAt, updatedAt }) => createdAt === updatedAt).length
      report.count(what, 'created', created)
      report.count(what, 'changed', written.length - created)
      rest -= written.length
    }
    report.count(what, effect === 'created' ? 'created' : 'unchanged', rest)
  }
  return null
}

/** The next upsert of a rejected product: again after a conflict, then without its rejected parts. Null if all of it is rejected. */
function nextOf(upsert: Upsert, refusal: Refusal, { target, report }: Import): Upsert | null {
  const { product, stored, isRepeated } = upsert
  const { status, message } = refusal
  if (status === 409 && !isRepeated) return { ...upsert, isRepeated: true }
  const violations = refusal.violations.length > 0 ? refusal.violations : [{ propertyPath: '', message }]
  const rest = withoutRejected(upsert, violations, report)
  if (rest) return { ...upsert, product: rest, bodies: bodiesOf(rest, stored, target) }
  report.rejectProduct(product, remarksOn(product, stored ? violations : violations.map(withHandle)))
  return null
}

const isTaken = ({ slug }: Violation) => slug === 'variant.sku_taken'

/** A new product whose SKUs other products have is probably one of these. */
const withHandle = (violation: Violation): Violation =>
  isTaken(violation)
    ? { ...violation, message: `${violation.message} To change that product, give the row its handle.` }
    : violation

/**
 * A product without its rejected variants, prices and pictures, which are reported. Null if another part was rejected, or if other
 * products have the SKUs of all variants of a new one.
 */
function withoutRejected(
  { product, stored }: Upsert,
  violations: readonly Violation[],
  report: Report,
): ImportedProduct | null {
  const rejected = { variant: new Set<number>(), price: new Set<number>(), picture: new Set<number>() }
  for (const { propertyPath } of violations) {
    const [, variant, price, picture] =
      /^(?:variants\[(\d+)\](\.saleOffers)?|media\[(\d+)\])/.exec(propertyPath) ?? []
    if (picture !== undefined) rejected.picture.add(Number(picture))
    else if (variant !== undefined) rejected[price ? 'price' : 'variant'].add(Number(variant))
    else return null
  }
  const isOther = !stored && violations.every(isTaken) && rejected.variant.size === product.variants.length
  if (isOther) return null
  const variants = product.variants.flatMap((variant, place) =>
    rejected.variant.has(place) ? [] : [rejected.price.has(place) ? { ...variant, price: null } : variant],
  )
  const media = product.media?.filter((_, place) => !rejected.picture.has(place))
  const keepsMedia = product.keepsMedia || rejected.picture.size > 0
  const partial = { ...product, ...(media && { media }), keepsMedia, variants, isPartial: true }
  report.reject(product.rows, remarksOn(product, violations))
  report.count('variants', 'rejected', rejected.variant.size)
  report.count('prices', 'rejected', pricesOf(product) - pricesOf(partial))
  return partial
}

/**
 * The refusal of the body at a place among those of a product. @throws Refusal for a missing permission or an unknown host, which stops
 * the import
 */
function refusalOf(reply: { readonly status: number; readonly body: unknown }, place = 0): Refusal {
  const refusal = new Refusal(reply)
  if ([401, 403, 429, 502, 503, 504].includes(refusal.status)) throw refusal
  const violations = refusal.violations.map((violation) => ({
    ...violation,
    propertyPath: violation.propertyPath.replace(
      /^variants\[(\d+)\]/,
      (_, index) => `variants[${Number(index) + place * variantsPerRequest}]`,
    ),
  }))
  return Object.assign(refusal, { violations })
}
