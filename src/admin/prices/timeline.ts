/** The price of a variant over a period, from the resource `price_timeline`. */
import type { Fields, Json } from '../core/changed.ts'
import { call } from '../core/http.ts'
import type { Shopper } from '../core/settings.ts'

export type Segment = {
  readonly from: string
  readonly until: string
  readonly resolvedPrice: {
    readonly at: string
    readonly amount: string
    readonly currency: string
    readonly compareAtAmount: string | null
    readonly saleOffer: string
    readonly validFrom: string | null
    readonly validUntil: string | null
    readonly quantityBreaks: readonly { readonly minQuantity: number; readonly amount: string }[]
  } | null
  readonly cause: 'WINDOW' | 'EDIT' | null
  readonly event: string | null
}

export type Timeline = {
  readonly from: string
  readonly until: string
  readonly historyFrom: string | null
  readonly segments: readonly Segment[]
  readonly view?: { readonly next?: string }
}

/** Pages of a thousand segments that are read of one timeline; beyond, a shorter range has to be chosen. */
const mostPages = 5

/** The timeline of a variant for a shopper. `isWhole` is false if it has more steps than were read. */
export async function readTimeline(
  variant: string,
  { channel, country }: Shopper,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<Timeline & { readonly isWhole: boolean }> {
  const query = new URLSearchParams({
    'resolveContext[channel]': channel,
    'resolveContext[country]': country,
    from: from.toISOString(),
    until: until.toISOString(),
  })
  const first = await readPage(`${variant}/price_timeline?${query}`)
  const segments = [...first.segments]
  let next = first.view?.next
  for (let page = 1; next !== undefined && page < mostPages; page += 1) {
    const read = await readPage(next)
    segments.push(...read.segments)
    next = read.view?.next
  }
  return { ...first, segments, isWhole: next === undefined }
}

async function readPage(path: string): Promise<Timeline> {
  return (await call<Timeline>(path)).json
}

/** Segments without the border that now draws through one price: what a person calls a step. */
export function stepsOf(segments: readonly Segment[]): Segment[] {
  const steps: Segment[] = []
  for (const each of segments) {
    const last = steps.at(-1)
    if (last && each.cause === null && same(last, each))
      steps[steps.length - 1] = { ...last, until: each.until }
    else steps.push(each)
  }
  return steps
}

function same({ resolvedPrice: a }: Segment, { resolvedPrice: b }: Segment): boolean {
  if (a === null || b === null) return a === b
  return JSON.stringify({ ...a, at: null }) === JSON.stringify({ ...b, at: null })
}

export type Change = { readonly path: string; readonly before: string; readonly after: string }

/** The author of a price change and the changed properties, from the event of an edit. */
export function editOf(
  event: Fields | undefined,
): { readonly by: string | null; readonly topic: string; readonly changes: Change[] } | null {
  if (event === undefined) return null
  const changes = Array.isArray(event.changes) ? (event.changes as readonly Fields[]) : []
  return {
    by: subjectOf(event.actor),
    topic: String(event.topic),
    changes: changes.map(({ path, before, after }) => ({
      path: String(path),
      before: text(before),
      after: text(after),
    })),
  }
}

function subjectOf(actor: Json | undefined): string | null {
  return typeof actor === 'object' && actor !== null && 'subject' in actor ? String(actor.subject) : null
}

function text(value: Json | undefined): string {
  if (value === null || value === undefined || value === '') return '–'
  return Array.isArray(value) ? value.join(', ') || '–' : String(value)
}
