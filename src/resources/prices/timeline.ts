/**
 * A variant's price over a span of time: at each moment that has passed by the offers as they were recorded then, at each that is to
 * come by those that are recorded now. Pure: recorded terms in, segments out.
 */
import {
  compareOffers,
  failedScope,
  isForOnePiece,
  type PriceOffer,
  type QuantityBreak,
  type ResolvedPrice,
  saleOfferIri,
} from './price.ts'

/** The terms of an offer with the span in which they were the recorded ones. Instants are canonical texts. */
export type RecordedTerms = PriceOffer & {
  readonly knownFrom: string
  /** The first moment at which they were no longer; null for those that are. */
  readonly knownUntil: string | null
  /** Ids of the events by which they came to be recorded, and ceased to be. */
  readonly recordedBy: string
  readonly endedBy: string | null
}

/** For whom prices are asked. */
export type Shopper = { readonly channel: string; readonly country: string }

/** From a moment on, until one that is no part of it. Canonical instants. */
export type Span = { readonly from: string; readonly until: string }

/** A price in a timeline: what it is, without when it changes, which the end of its segment tells. */
type TimelinePrice = Omit<ResolvedPrice, 'nextChangeAt'>

/** A span in which a price stayed the same, and what had it begin. */
export type Segment = Span & {
  readonly resolvedPrice: TimelinePrice | null
  /**
   * `WINDOW` where an offer began or ended by its own terms, `EDIT` where somebody changed what is recorded; null where nothing
   * changed: at the beginning of the span, and now.
   */
  readonly cause: 'WINDOW' | 'EDIT' | null
  /** Of an EDIT, the id of the event of that change. */
  readonly eventId: string | null
}

/**
 * The segments of a span, in order and without gaps, at most `most`; the last of fewer ends where the span does. No term was
 * recorded later than `now`, at which a segment ends and another begins. Of one offer no two terms were recorded at once, nor of two
 * offers any at the same moment. Takes n log n steps for n terms, and for each segment as many as there are quantity breaks.
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
    // A change that is recorded at the moment at which an offer begins or ends is the cause where it makes a difference.
    const isEdit = !isSame(termsByWindow, priceTerms)
    const isChanged = !isSame(previous, priceTerms)
    if (isChanged || at === from || at === now) {
      if (started.length > limit) break
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
 * The terms for one piece that applied over a span, from each moment on at which others may have begun to; undefined where none did.
 * Of that span it tells what a timeline does, for fewer steps.
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

/** That terms begin or cease to apply: by their own window, or with an event where what is recorded changed. */
type Step = {
  readonly at: string
  readonly terms: RecordedTerms
  readonly isStart: boolean
  readonly eventId: string | null
}

/** What terms apply is within their window and while they are recorded. Steps by windows stand in front of changes at the same moment. */
function stepsOf(recorded: readonly RecordedTerms[]): Step[] {
  const steps: Step[] = []
  for (const terms of recorded) {
    const { knownFrom, knownUntil, validFrom, validUntil, recordedBy, endedBy } = terms
    if (validUntil !== null && validUntil <= knownFrom) continue
    if (validFrom === null || validFrom <= knownFrom) {
      steps.push({ at: knownFrom, terms, isStart: true, eventId: recordedBy })
    } else if (knownUntil === null || validFrom <= knownUntil) {
      // Also at the very moment at which they are changed: without that change they would have begun.
      steps.push({ at: validFrom, terms, isStart: true, eventId: null })
    } else continue
    if (validUntil !== null && (knownUntil === null || validUntil <= knownUntil)) {
      steps.push({ at: validUntil, terms, isStart: false, eventId: null })
    } else if (knownUntil !== null)
      steps.push({ at: knownUntil, terms, isStart: false, eventId: endedBy ?? '' })
  }
  return steps.sort((a, b) => (a.at === b.at ? orderOf(a) - orderOf(b) : a.at < b.at ? -1 : 1))
}

/** Terms of an offer make room for those that follow them. */
function orderOf({ isStart, eventId }: Step): number {
  return (eventId === null ? 0 : 2) + Number(isStart)
}

/** The moments of a span at which something may change, its beginning and now among them. */
function instantsOf(steps: readonly Step[], { from, until }: Span, now: string): string[] {
  const instants = new Set(
    [from, ...steps.map((step) => step.at), now].filter((at) => at >= from && at < until),
  )
  return [...instants].sort()
}

/** What a price is made of: the terms of one piece, and those of more in the same currency, by ascending minimum quantity. */
type PriceTerms = { readonly terms: RecordedTerms | undefined; readonly breaks: readonly RecordedTerms[] }

/** The terms that apply, the better before the worse: for one piece, and by currency for each minimum quantity. */
class RankedTerms {
  readonly #single: RecordedTerms[] = []
  readonly #breaks = new Map<string, Map<number, RecordedTerms[]>>()
  /** What was answered, as long as no other terms became the best of their group. */
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

/** Where terms stand, or would, in a sorted group, by halves. */
function insertionIndex(group: readonly RecordedTerms[], terms: RecordedTerms): number {
  let [low, high] = [0, group.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = group[middle]
    if (other !== undefined && compareOffers(other, terms) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether two answers tell the same price. */
function isSame(a: PriceTerms, b: PriceTerms): boolean {
  if (a === b) return true
  if (a.breaks.length !== b.breaks.length || !isSamePrice(a.terms, b.terms)) return false
  return a.breaks.every((quantityBreak, index) => {
    const other = b.breaks[index]
    return (
      quantityBreak.id === other?.id &&
      quantityBreak.amount === other.amount &&
      quantityBreak.minQuantity === other.minQuantity
    )
  })
}

const comparedProperties = [
  'id',
  'amount',
  'currency',
  'compareAtAmount',
  'taxIncluded',
  'validFrom',
  'validUntil',
] as const

function isSamePrice(a: RecordedTerms | undefined, b: RecordedTerms | undefined): boolean {
  return (
    a === b || (a !== undefined && b !== undefined && comparedProperties.every((name) => a[name] === b[name]))
  )
}

function priceOf(
  { terms, breaks }: PriceTerms,
  { channel, country }: Shopper,
  at: string,
): TimelinePrice | null {
  if (terms === undefined) return null
  return {
    '@type': 'ResolvedPrice',
    amount: terms.amount,
    currency: terms.currency,
    compareAtAmount: terms.compareAtAmount,
    taxIncluded: terms.taxIncluded,
    saleOffer: saleOfferIri(terms),
    channel,
    country,
    at,
    validFrom: terms.validFrom,
    validUntil: terms.validUntil,
    quantityBreaks: breaks.map(
      (quantityBreak): QuantityBreak => ({
        minQuantity: quantityBreak.minQuantity,
        amount: quantityBreak.amount,
        saleOffer: saleOfferIri(quantityBreak),
      }),
    ),
  }
}
