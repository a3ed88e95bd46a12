/** Changes of each of many products, and how they are undone. */
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

/** The patch that reverts a write. Whether the service made the write is unsure if its response was lost. */
export type Undo = { readonly iri: string; readonly patch: Fields; readonly isSure: boolean }

/** Reports a write as soon as it is made: the undo also covers the writes before a failure. */
type Report = (undo: Undo) => void

/** Changes one product, or its prices except those that an earlier attempt has written. */
export async function applyChange(
  product: string,
  change: Change,
  report: Report,
  signal: AbortSignal,
  isWritten: (offer: string) => boolean = () => false,
): Promise<void> {
  if (change.kind !== 'prices') return write(product, (stored) => patchOf(stored, change), report, signal)
  const offers = `/api/sale_offers?itemsPerPage=100&status=ACTIVE&product=${encodeURIComponent(product)}`
  for await (const { members } of everyPage<Fields>(offers, signal)) {
    for (const iri of members.map((offer) => String(offer['@id']))) {
      if (!isWritten(iri)) await write(iri, (stored) => repriced(stored, change.percent), report, signal)
    }
  }
}

/** Reverts one write. */
export async function takeBack({ iri, patch }: Undo, signal: AbortSignal): Promise<void> {
  return write(
    iri,
    () => patch,
    () => {},
    signal,
  )
}

/** Writes a change of the stored document, and repeats it on the new document after a concurrent write. */
async function write(
  iri: string,
  patchFor: (stored: Fields) => Fields,
  report: Report,
  signal: AbortSignal,
  attempts = 3,
): Promise<void> {
  const { json, headers } = await call(iri, { signal })
  const stored = json as Fields
  const patch = patchFor(stored)
  const names = Object.keys(patch)
  const before = Object.fromEntries(names.map((name) => [name, written(stored[name])]))
  if (same(before, patch)) return
  const etag = headers.get('etag')
  try {
    // Stopping does not abort a write: its undo would be lost.
    await call(iri, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json', ...(etag && { 'If-Match': etag }) },
      body: JSON.stringify(patch),
    })
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    if (error.status === 412 && attempts > 1) return write(iri, patchFor, report, signal, attempts - 1)
    if (error.status === 0 || error.status >= 500) report({ iri, patch: before, isSure: false })
    throw error
  }
  report({ iri, patch: before, isSure: true })
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
