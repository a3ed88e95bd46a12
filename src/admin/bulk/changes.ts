/** What is done to each of many products, and how it is taken back. */
import { HttpError } from 'react-admin'
import { type Fields, type Json, same, written } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { everyPage } from '../core/pages.ts'
import { amountBy } from './amount.ts'

export type Kind =
  | 'status'
  | 'addTags'
  | 'removeTags'
  | 'addChannels'
  | 'removeChannels'
  | 'addCategories'
  | 'removeCategories'
  | 'prices'

/** A change of products, or of their prices by so many percent. */
export type Change = { readonly kind: Kind; readonly values: readonly string[]; readonly percent: number }

/** A patch that was written, as the one that takes it back. */
export type Undo = { readonly iri: string; readonly patch: Fields }

/** Changes one product. @returns how each write is taken back; none where nothing had to change */
export async function applyChange(product: string, change: Change, signal: AbortSignal): Promise<Undo[]> {
  if (change.kind !== 'prices') {
    return write(product, (stored) => patchOf(stored, change), signal)
  }
  const undone: Undo[] = []
  const offers = `/api/sale_offers?itemsPerPage=100&status=ACTIVE&product=${encodeURIComponent(product)}`
  for await (const { members } of everyPage<Fields>(offers, signal)) {
    for (const { '@id': iri } of members) {
      undone.push(...(await write(String(iri), (stored) => repriced(stored, change.percent), signal)))
    }
  }
  return undone
}

/** Takes one write back. */
export async function takeBack({ iri, patch }: Undo, signal: AbortSignal): Promise<Undo[]> {
  return write(iri, () => patch, signal)
}

/** Writes on what is stored; again on what somebody else stored in between. */
async function write(
  iri: string,
  patchFor: (stored: Fields) => Fields,
  signal: AbortSignal,
  attempts = 3,
): Promise<Undo[]> {
  const { json, headers } = await call(iri, { signal })
  const stored = json as Fields
  const patch = patchFor(stored)
  const names = Object.keys(patch)
  const before = Object.fromEntries(names.map((name) => [name, written(stored[name])]))
  if (same(before, patch)) return []
  const etag = headers.get('etag')
  try {
    await call(iri, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json', ...(etag && { 'If-Match': etag }) },
      body: JSON.stringify(patch),
      signal,
    })
  } catch (error) {
    if (attempts <= 1 || !(error instanceof HttpError) || error.status !== 412) throw error
    return write(iri, patchFor, signal, attempts - 1)
  }
  return [{ iri, patch: before }]
}

function patchOf(stored: Fields, { kind, values }: Change): Fields {
  if (kind === 'status') return { status: values[0] ?? null }
  const name = kind.replace(/^(?:add|remove)/, '').toLowerCase()
  const before = textsIn(written(stored[name]))
  const after = kind.startsWith('add')
    ? [...new Set([...before, ...values])]
    : before.filter((each) => !values.includes(each))
  return { [name]: after }
}

function textsIn(value: Json): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function repriced({ amount, currency }: Fields, percent: number): Fields {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: String(currency) })
  return { amount: amountBy(String(amount), percent, format.resolvedOptions().maximumFractionDigits ?? 2) }
}
