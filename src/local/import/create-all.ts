import { type Client, type HydraList, Refusal, type Violation } from '../client.ts'

/** The outcome of one of many bodies. */
export type Outcome<Document> = { created: Document } | { refused: readonly Violation[] }

/** How many rows an array may have, and what of each counts towards a bound of its own. */
export type BulkLimits = { rows: number; counted?: { of: (place: number) => number; most: number } }

/**
 * Creates rows that are probably all new. Returns the outcome of each; null for those of a rejected request, of which nothing is
 * created. @throws Refusal, as `refusalOfRows` does
 */
export async function createNew<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  limits: BulkLimits,
): Promise<({ created: Document } | null)[]> {
  const outcomes: ({ created: Document } | null)[] = bodies.map(() => null)
  for (const places of packed(bodies, limits)) {
    const created = await createTogether<Document>(client, path, bodies, places)
    if (created instanceof Refusal) continue
    for (const [index, place] of places.entries()) outcomes[place] = { created: created[index]! }
  }
  return outcomes
}

/** Creates the rows at some places with one request. */
async function createTogether<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  places: readonly number[],
): Promise<Document[] | Refusal> {
  const rows = places.map((place) => bodies[place])
  const created = await client.write<HydraList<Document>>('POST', path, rows).catch(refusalOfRows)
  if (created instanceof Refusal) return created
  if (created.member.length !== places.length)
    throw new Error(`${path} answered ${created.member.length} rows for ${places.length}.`)
  return created.member
}

/** Well under the service's limit of 1 MiB a body. */
const maximumBytes = 900_000

/**
 * Creates many rows with few requests. An array is written all or nothing, so after a refusal the rows that were
 * named (`[3].title`) are set aside and the others are sent again; a refusal that names no row halves the array
 * until the row is found.
 */
export async function createAll<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  limits: BulkLimits,
): Promise<Outcome<Document>[]> {
  const outcomes = new Array<Outcome<Document>>(bodies.length)

  async function send(places: readonly number[]): Promise<void> {
    if (places.length === 0) return
    const created = await createTogether<Document>(client, path, bodies, places)
    if (created instanceof Refusal) return sort(places, created)
    for (const [index, place] of places.entries()) outcomes[place] = { created: created[index]! }
  }

  async function sort(places: readonly number[], refusal: Refusal): Promise<void> {
    const named = byRow(refusal.violations, places.length)
    if (places.length === 1) {
      const unnamed =
        refusal.violations.length > 0 ? refusal.violations : [{ propertyPath: '', message: refusal.message }]
      outcomes[places[0]!] = { refused: named.get(0) ?? unnamed }
      return
    }
    if (named.size === 0) {
      const middle = places.length >> 1
      await send(places.slice(0, middle))
      return send(places.slice(middle))
    }
    for (const [index, refused] of named) outcomes[places[index]!] = { refused }
    return send(places.filter((_, index) => !named.has(index)))
  }

  for (const places of packed(bodies, limits)) await send(places)
  return outcomes
}

/** Rejections of the body. A missing permission or an unknown host stops the import instead. */
export function refusalOfRows(error: unknown): Refusal {
  if (error instanceof Refusal && ![401, 403, 429, 502, 503, 504].includes(error.status)) return error
  throw error
}

function byRow(violations: readonly Violation[], count: number): Map<number, Violation[]> {
  const rows = new Map<number, Violation[]>()
  for (const { propertyPath, message } of violations) {
    const [whole, index] = /^\[(\d+)\]\.?/.exec(propertyPath) ?? []
    if (whole === undefined || Number(index) >= count) continue
    const row = rows.get(Number(index)) ?? []
    rows.set(Number(index), [...row, { propertyPath: propertyPath.slice(whole.length), message }])
  }
  return rows
}

function* packed(bodies: readonly unknown[], { rows, counted }: BulkLimits): Generator<number[]> {
  let places: number[] = []
  let [bytes, count] = [0, 0]
  for (const [place, body] of bodies.entries()) {
    const size = Buffer.byteLength(JSON.stringify(body))
    const more = counted?.of(place) ?? 0
    const isFull =
      places.length === rows || bytes + size > maximumBytes || count + more > (counted?.most ?? 0)
    if (places.length > 0 && isFull) {
      yield places
      places = []
      ;[bytes, count] = [0, 0]
    }
    places.push(place)
    bytes += size
    count += more
  }
  if (places.length > 0) yield places
}
