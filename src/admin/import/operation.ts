/** Products of a file as lines of bulk operations, which are checked, performed, and can be cancelled. */

import type { ImportedProduct, Remark } from '../../local/import/product.ts'
import { remarksOn } from '../../local/import/rejected.ts'
import {
  bodiesOf,
  type Client,
  findProducts,
  link,
  productsPerRequest,
  type StoredProduct,
  type Target,
  untranslated,
  upsertPath,
  withDetails,
} from '../../local/import/upsert.ts'
import { call } from '../core/http.ts'
import { forEach } from '../core/lanes.ts'
import { everyMember } from '../core/pages.ts'
import type { Line } from '../grid/submit.ts'

export type OnProgress = (done: number, of: number) => void

/** The requests of the page. A cancelled import sends no further one. */
export const clientOf = (signal: AbortSignal): Client => ({
  list: (path) => everyMember(path, signal),
  write: async (method, path, body, headers) =>
    (await call(path, { method, headers, body: JSON.stringify(body) })).json as never,
})

/** Finds the products of the catalogue that have the handles of a file. */
export async function findStored(
  products: readonly ImportedProduct[],
  client: Client,
  onProgress: OnProgress,
): Promise<Map<string, StoredProduct>> {
  const stored = new Map<string, StoredProduct>()
  for (let first = 0; first < products.length; first += productsPerRequest) {
    const handles = products.slice(first, first + productsPerRequest).map(({ handle }) => handle)
    for (const [handle, product] of await findProducts(client, handles)) stored.set(handle, product)
    onProgress(Math.min(first + productsPerRequest, products.length), products.length)
  }
  return stored
}

/** Gives external ids to products of the catalogue without one. */
export async function linkAll(stored: Map<string, StoredProduct>, client: Client): Promise<void> {
  const unlinked = withoutExternalId(stored)
  for (let first = 0; first < unlinked.length; first += productsPerRequest)
    for (const product of await link(client, unlinked.slice(first, first + productsPerRequest))) {
      const before = unlinked.find((each) => each['@id'] === product['@id'])
      if (before) stored.set(before.handle, { ...before, externalId: product.externalId })
    }
}

export const withoutExternalId = (stored: ReadonlyMap<string, StoredProduct>) =>
  [...stored.values()].filter(({ externalId }) => !externalId)

/** The upsert of a product: a line for each 199 variants. */
export type Upsert = {
  readonly product: ImportedProduct
  readonly isNew: boolean
  readonly lines: readonly Line[]
}

/** Plans the upserts of products. Those of untranslated options are remarks. */
export async function upsertsOf(
  products: readonly ImportedProduct[],
  stored: ReadonlyMap<string, StoredProduct>,
  { client, target, onProgress }: { client: Client; target: Target; onProgress: OnProgress },
): Promise<{ readonly upserts: readonly Upsert[]; readonly refused: readonly Refused[] }> {
  const upserts = new Map<number, Upsert>()
  const refused: Refused[] = []
  let done = 0
  await forEach(products, async (product, at) => {
    const current = stored.get(product.handle)
    const whole = current ? await withDetails(current, product, { client, target }) : null
    const strange = whole && untranslated(product, whole)
    const path = upsertPath(whole)
    if (strange) refused.push({ product, remarks: [strange] })
    else
      upserts.set(at, {
        product,
        isNew: whole === null,
        lines: bodiesOf(product, whole, target).map((body) => ({ method: 'PATCH', path, body })),
      })
    done += 1
    onProgress(done, products.length)
  })
  // Of two products with one SKU, the first in the file has it.
  return { upserts: [...upserts].toSorted(([a], [b]) => a - b).map(([, upsert]) => upsert), refused }
}

/** A product that is not imported, with the reasons. */
export type Refused = { readonly product: ImportedProduct; readonly remarks: readonly Remark[] }

export type Performed = {
  /** The performed operations. */
  readonly operations: readonly string[]
  readonly accepted: readonly Upsert[]
  /** Accepted products of the catalogue that the file does not change. */
  readonly unchanged: number
  readonly refused: readonly Refused[]
  /** Products that a cancelled operation has not performed. */
  readonly left: readonly Upsert[]
}

type Operation = {
  readonly '@id': string
  readonly status: string
  readonly processed: number
  readonly unchanged: number
  readonly finishedAt: string | null
}

type Result = {
  readonly line: number
  readonly problem: {
    readonly message?: string
    readonly violations?: readonly { readonly propertyPath: string; readonly message: string }[]
  } | null
}

/** Performs upserts by bulk operations, or checks them. A check of a new product with many variants is that of the first ones. */
export async function perform(
  upserts: readonly Upsert[],
  { isDryRun, signal, onProgress }: { isDryRun: boolean; signal: AbortSignal; onProgress: OnProgress },
): Promise<Performed> {
  const all = upserts.flatMap((upsert) =>
    (isDryRun && upsert.isNew ? upsert.lines.slice(0, 1) : upsert.lines).map((line) => ({ upsert, line })),
  )
  const operations: string[] = []
  const reasons = new Map<Upsert, Remark[]>()
  const left = new Set<Upsert>()
  let unchanged = 0
  let done = 0
  for (const some of filesOf(all)) {
    if (signal.aborted) {
      for (const { upsert } of some) left.add(upsert)
      continue
    }
    const before = done
    const operation = await performFile(
      some.map(({ text }) => text).join('\n'),
      isDryRun,
      signal,
      (processed) => onProgress(before + processed, all.length),
    )
    operations.push(operation['@id'])
    unchanged += operation.unchanged
    done += some.length
    const results = await everyMember<Result>(`${operation['@id']}/results?failed=true&itemsPerPage=100`)
    for (const { line, problem } of results) {
      const upsert = some[line - 1]?.upsert
      if (!upsert) continue
      const violations = problem?.violations ?? [{ propertyPath: '', message: problem?.message ?? '' }]
      reasons.set(upsert, [...(reasons.get(upsert) ?? []), ...remarksOn(upsert.product, violations)])
    }
    for (const { upsert } of some.slice(operation.processed)) left.add(upsert)
  }
  return {
    operations,
    accepted: upserts.filter((upsert) => !reasons.has(upsert) && !left.has(upsert)),
    unchanged,
    refused: [...reasons].map(([{ product }, remarks]) => ({ product, remarks })),
    left: [...left].filter((upsert) => !reasons.has(upsert)),
  }
}

/** Bytes of a bulk operation: an upload that takes less than a minute at 2 Mbit/s. */
const fileBytes = 10_000_000

function* filesOf(all: readonly { readonly upsert: Upsert; readonly line: Line }[]) {
  let file: { readonly upsert: Upsert; readonly text: string }[] = []
  let bytes = 0
  for (const { upsert, line } of all) {
    const text = JSON.stringify(line)
    const size = new Blob([text]).size + 1
    if (bytes + size > fileBytes) {
      yield file
      file = []
      bytes = 0
    }
    file.push({ upsert, text })
    bytes += size
  }
  if (file.length > 0) yield file
}

/** Milliseconds of a commit of a bulk operation. */
const commitMs = 3000

/** Performs the lines of a file until its end, or until the user cancels it. */
async function performFile(
  body: string,
  isDryRun: boolean,
  signal: AbortSignal,
  onProgress: (processed: number) => void,
): Promise<Operation> {
  const { json } = await call<Operation>(`/api/bulk_operations?dryRun=${isDryRun}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/x-ndjson' },
  })
  let isCancelled = false
  for (let operation = json, pause = 200; ; pause = Math.min(pause * 1.5, 3000)) {
    onProgress(operation.processed)
    if (operation.finishedAt !== null) return operation
    if (signal.aborted && !isCancelled) {
      isCancelled = true
      // An operation that has ended meanwhile is 409.
      await call(operation['@id'], { method: 'DELETE' }).catch(() => null)
      // A commit that had begun ends after a cancellation.
      pause = commitMs
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    operation = (await call<Operation>(operation['@id'])).json
  }
}
