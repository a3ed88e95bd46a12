/**
 * Price timelines: a variant's price over a period.
 * Past prices use the offers recorded at the time, future prices the offers recorded now.
 * Pure: recorded terms in, segments out.
 */
import { sameJson } from '../../core/patch.ts'
import {
  compareOffers,
  failedScope,
  isForOnePiece,
  type PriceContext,
  type PriceOffer,
  priceOfOffer,
  quantityBreakOf,
  type ResolvedPrice,
} from './price.ts'

/** The terms of an offer, with the period in which they were recorded. Timestamps are canonical strings. */
export type RecordedTerms = PriceOffer & {
  readonly knownFrom: string
  /** The first timestamp at which they were no longer recorded; null for current terms. */
  readonly knownUntil: string | null
  /** Ids of the events that recorded and replaced them. */
  readonly recordedBy: string
  readonly endedBy: string | null
}

/** The channel and country that prices are requested for, and the currency, by default any. */
export type Shopper = Omit<PriceContext, 'at'>

/** A period with an exclusive end. Canonical timestamps. */
export type Span = { readonly from: string; readonly until: string }

/** A price in a timeline. The end of its segment replaces `nextChangeAt`. */
type TimelinePrice = Omit<ResolvedPrice, 'nextChangeAt'>

/** A period with a constant price, and the cause of its start. */
export type Segment = Span & {
  readonly resolvedPrice: TimelinePrice | null
  /**
   * `WINDOW`: an offer started or ended by its own terms. `EDIT`: a user changed the recorded terms.
   * Null if nothing changed, as at the start of the period and now.
   */
  readonly cause: 'WINDOW' | 'EDIT' | null
  /** The id of the event of an EDIT. */
  readonly eventId: string | null
}

/**
 * Computes the segments of a period, in order and without gaps, at most `limit`.
 * The last segment ends at the end of the period if there are fewer. A segment ends at `now`, and no terms were
 * recorded later.
 * Recorded terms of one offer never overlap, and no two offers have terms recorded at the same timestamp.
 * Takes n log n steps for n terms, and for each segment one step per quantity break.
 */
export function timelineOf(
  recorded: readonly RecordedTerms[],
  shopper: Shopper,
  { from, until }: Span,
  now: string,
  limit: number,
): Segment[] {
  const started: (Omit<Segment, 'until' | 'resolvedPrice'> & { readonly priceTerms: PriceTerms })[] = []
  const offers = new RankedTerms()
  const steps = stepsOf(
    recorded.filter((terms) => failedScope(terms, { ...shopper, at: from }) === undefined),
  )
  let next = 0
  const applySteps = (isDue: (step: Step) => boolean) => {
    let lastStep: Step | undefined
    for (let step = steps[next]; step && isDue(step); step = steps[next]) {
      offers.apply(step)
      lastStep = step
      next += 1
    }
    return lastStep
  }
  applySteps((step) => step.at < from)
  let previous = offers.priceTerms()
  for (const at of instantsOf(steps.slice(next), { from, until }, now)) {
    applySteps((step) => step.at === at && step.eventId === null)
    const termsByWindow = offers.priceTerms()
    const edit = applySteps((step) => step.at === at)
    const priceTerms = offers.priceTerms()
    const isChanged = !isSame(previous, priceTerms)
    if (isChanged || at === from || at === now) {
      if (started.length > limit) break
      // An edit at the time at which an offer starts or ends is the cause only if it changes the price.
      const isEdit = termsByWindow === previous || !isSame(termsByWindow, priceTerms)
      const cause = !isChanged ? null : isEdit ? 'EDIT' : 'WINDOW'
      started.push({
        from: at,
        priceTerms,
        cause,
        eventId: cause === 'EDIT' ? (edit?.eventId ?? null) : null,
      })
    }
    previous = priceTerms
  }
  return started.slice(0, limit).map(({ priceTerms, ...segment }, index) => ({
    from: segment.from,
    until: started[index + 1]?.from ?? until,
    resolvedPrice: priceOf(priceTerms, shopper, segment.from),
    cause: segment.cause,
    eventId: segment.eventId,
  }))
}

/**
 * Lists the terms for one piece that applied over a period, from each time at which they may have changed.
 * `terms` is undefined if none applied. The result agrees with a timeline of the period, and takes fewer steps.
 */
export function appliedTerms(
  recorded: readonly RecordedTerms[],
  shopper: Shopper,
  { from, until }: Span,
): { readonly from: string; readonly terms: RecordedTerms | undefined }[] {
  const termsForOne = recorded.filter(
    (terms) => isForOnePiece(terms) && failedScope(terms, { ...shopper, at: from }) === undefined,
  )
  const offers = new RankedTerms()
  const applied: { from: string; terms: RecordedTerms | undefined }[] = []
  const steps = stepsOf(termsForOne)
  let next = 0
  for (let at = from; at < until; at = steps[next]?.at ?? until) {
    for (let step = steps[next]; step && step.at <= at; step = steps[next]) {
      offers.apply(step)
      next += 1
    }
    applied.push({ from: at, terms: offers.priceTerms().terms })
  }
  return applied
}

/** Terms begin or cease to apply: by their own period, or with the event of a change. */
type Step = {
  readonly at: string
  readonly terms: RecordedTerms
  readonly isStart: boolean
  readonly eventId: string | null
}

/**
 * Lists the steps of terms, which apply within their period and while they are recorded.
 * At the same timestamp, steps by periods precede changes.
 */
function stepsOf(recorded: readonly RecordedTerms[]): Step[] {
  const steps: Step[] = []
  for (const terms of recorded) {
    const { knownFrom, knownUntil, validFrom, validUntil, recordedBy, endedBy } = terms
    if (validUntil !== null && validUntil <= knownFrom) continue
    if (validFrom === null || validFrom <= knownFrom) {
      steps.push({ at: knownFrom, terms, isStart: true, eventId: recordedBy })
    } else if (knownUntil === null || validFrom <= knownUntil) {
      // This includes the timestamp of the change itself: without the change the terms would have started.
      steps.push({ at: validFrom, terms, isStart: true, eventId: null })
    } else continue
    if (validUntil !== null && (knownUntil === null || validUntil <= knownUntil)) {
      steps.push({ at: validUntil, terms, isStart: false, eventId: null })
    } else if (knownUntil !== null)
      steps.push({ at: knownUntil, terms, isStart: false, eventId: endedBy ?? '' })
  }
  return steps.sort((a, b) => (a.at === b.at ? orderOf(a) - orderOf(b) : a.at < b.at ? -1 : 1))
}

/** Terms of an offer end before their successors start. */
function orderOf({ isStart, eventId }: Step): number {
  return (eventId === null ? 0 : 2) + Number(isStart)
}

/** The timestamps in a period at which the price may change, including its start and now. */
function instantsOf(steps: readonly Step[], { from, until }: Span, now: string): string[] {
  const instants = new Set(
    [from, ...steps.map((step) => step.at), now].filter((at) => at >= from && at < until),
  )
  return [...instants].sort()
}

/**
 * The terms that a price consists of: for one piece, and for more in the same currency by ascending minimum
 * quantity.
 */
type PriceTerms = { readonly terms: RecordedTerms | undefined; readonly breaks: readonly RecordedTerms[] }

/**
 * The terms that apply, ordered from best to worst: for one piece, and for each currency and minimum quantity.
 */
class RankedTerms {
  readonly #single: RecordedTerms[] = []
  readonly #breaks = new Map<string, Map<number, RecordedTerms[]>>()
  /** The cached result. A new best term in any group invalidates it. */
  #current: PriceTerms | null = null

  apply({ terms, isStart }: Step): void {
    const group = this.#groupOf(terms)
    const [best] = group
    const index = insertionIndex(group, terms)
    if (isStart) group.splice(index, 0, terms)
    else if (group[index] === terms) group.splice(index, 1)
    if (group[0] !== best) this.#current = null
  }

  priceTerms(): PriceTerms {
    this.#current ??= this.#compute()
    return this.#current
  }

  #compute(): PriceTerms {
    const [terms] = this.#single
    if (terms === undefined) return { terms, breaks: [] }
    const breaks = [...(this.#breaks.get(terms.currency) ?? [])].flatMap(([, [best]]) => best ?? [])
    return { terms, breaks: breaks.sort((a, b) => a.minQuantity - b.minQuantity) }
  }

  #groupOf(terms: RecordedTerms): RecordedTerms[] {
    if (isForOnePiece(terms)) return this.#single
    const byQuantity = this.#breaks.get(terms.currency) ?? new Map<number, RecordedTerms[]>()
    const group = byQuantity.get(terms.minQuantity) ?? []
    this.#breaks.set(terms.currency, byQuantity.set(terms.minQuantity, group))
    return group
  }
}

/** The index of terms in a sorted group, by binary search. */
function insertionIndex(group: readonly RecordedTerms[], terms: RecordedTerms): number {
  let [low, high] = [0, group.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const candidate = group[middle]
    if (candidate !== undefined && compareOffers(candidate, terms) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function isSame(a: PriceTerms, b: PriceTerms): boolean {
  if (a === b) return true
  if (a.breaks.length !== b.breaks.length || !isSamePrice(a.terms, b.terms)) return false
  return a.breaks.every((quantityBreak, index) => {
    const counterpart = b.breaks[index]
    return (
      quantityBreak.id === counterpart?.id &&
      quantityBreak.amount === counterpart.amount &&
      quantityBreak.minQuantity === counterpart.minQuantity
    )
  })
}

function isSamePrice(a: RecordedTerms | undefined, b: RecordedTerms | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  const context = { channel: '', country: '', at: '' }
  return sameJson(priceOfOffer(a, context), priceOfOffer(b, context))
}

function priceOf({ terms, breaks }: PriceTerms, shopper: Shopper, at: string): TimelinePrice | null {
  if (terms === undefined) return null
  return { ...priceOfOffer(terms, { ...shopper, at }), quantityBreaks: breaks.map(quantityBreakOf) }
}
