/** Prices as a grid: a row for each variant, a column for each place and currency. Pure: offers and what was typed in, writes out. */
import { decimalOf } from '../core/decimal-text.ts'
import { compare, isLive } from '../sale/plan.ts'
import { unitsOf } from './decimals.ts'
import type { SaleOffer } from './offer.ts'

/** Where a price holds, and in which currency. */
export type Column = {
  /** Null is every channel. */
  readonly channel: string | null
  /** Empty is every country. */
  readonly countries: readonly string[]
  readonly currency: string
}

/** The offers of one cell of the grid. */
export type Cell = {
  /** The offer that is edited there: active, for one piece and without dates. */
  readonly standing: SaleOffer | null
  /** Others of the same place, which are shown and left alone: with dates, for several pieces, drafts, or of lower rank. */
  readonly others: readonly SaleOffer[]
}

/** The unsaved input, by the keys of cells. */
export type Edits = ReadonlyMap<string, string>

export type Mistake = 'number' | 'negative' | 'decimals'

/** The planned writes, each with the key of its cell. */
export type Plan = {
  readonly created: readonly { readonly key: string; readonly body: NewOffer }[]
  readonly changed: readonly { readonly key: string; readonly offer: SaleOffer; readonly amount: string }[]
  readonly removed: readonly { readonly key: string; readonly offer: SaleOffer }[]
  readonly mistakes: ReadonlyMap<string, Mistake>
}

type NewOffer = Column & { readonly variant: string; readonly amount: string }

export function columnKey({ channel, countries, currency }: Column): string {
  return `${currency} ${channel ?? '*'} ${countries.toSorted().join('+')}`
}

export function cellKey(variant: string, column: Column): string {
  return `${variant} ${columnKey(column)}`
}

/** The columns in which there are offers, the shop's broadest first. */
export function columnsOf(offers: readonly SaleOffer[]): Column[] {
  const found = new Map(
    offers.map(({ channel, countries, currency }) => {
      const column = { channel, countries: countries.toSorted(), currency }
      return [columnKey(column), column] as const
    }),
  )
  return [...found.values()].toSorted(
    (a, b) =>
      (a.channel ?? '').localeCompare(b.channel ?? '') ||
      a.countries.length - b.countries.length ||
      columnKey(a).localeCompare(columnKey(b)),
  )
}

/** The offers of each cell that has any. */
export function cellsOf(offers: readonly SaleOffer[]): ReadonlyMap<string, Cell> {
  const found = Map.groupBy(offers, (each) => cellKey(each.variant, each))
  return new Map([...found].map(([key, own]) => [key, cellOf(own)]))
}

/** Of several the one that wins: the highest priority, then the lowest amount. */
function cellOf(offers: readonly SaleOffer[]): Cell {
  const [standing = null] = offers
    .filter((each) => each.status === 'ACTIVE' && each.minQuantity <= 1)
    .filter((each) => each.validFrom === null && each.validUntil === null)
    .toSorted(
      (a, b) =>
        b.priority - a.priority || Number(a.amount) - Number(b.amount) || a['@id'].localeCompare(b['@id']),
    )
  return { standing, others: offers.filter((each) => each !== standing) }
}

/** The offer that applies in a column in which a variant has no price of its own: one for a broader place, in the same currency. */
export function inheritedOffer(
  offers: readonly SaleOffer[],
  column: Column,
  at: string,
): SaleOffer | undefined {
  const [best] = offers
    .filter((each) => each.status === 'ACTIVE' && each.minQuantity <= 1 && isLive(each, at))
    .filter((each) => each.currency === column.currency && columnKey(each) !== columnKey(column))
    .filter(({ channel }) => channel === null || channel === column.channel)
    .filter(({ countries }) => countries.length === 0 || isWithin(column.countries, countries))
    .toSorted(compare)
  return best
}

const isWithin = (some: readonly string[], all: readonly string[]) =>
  some.length > 0 && some.every((each) => all.includes(each))

/** The value of a text in a cell: an amount, null if it is empty, or the error. */
function meant(
  text: string,
  currency: string,
  locale: string,
): { amount: string | null } | { mistake: Mistake } {
  if (text.trim() === '') return { amount: null }
  const amount = decimalOf(text, locale)
  if (amount === null) return { mistake: 'number' }
  if (amount.startsWith('-')) return { mistake: 'negative' }
  return unitsOf(amount, currency) === null ? { mistake: 'decimals' } : { amount }
}

/** Whether an edit leaves a cell as it is. */
function isSame(standing: SaleOffer | null, amount: string | null): boolean {
  if (standing === null || amount === null) return standing === null && amount === null
  return unitsOf(standing.amount, standing.currency) === unitsOf(amount, standing.currency)
}

/** The writes of edits, in the order of the grid's cells. */
export function planOf(
  edits: Edits,
  cells: ReadonlyMap<string, Cell>,
  at: ReadonlyMap<string, { readonly variant: string; readonly column: Column }>,
  locale: string,
): Plan {
  const created: Plan['created'][number][] = []
  const changed: Plan['changed'][number][] = []
  const removed: Plan['removed'][number][] = []
  const mistakes = new Map<string, Mistake>()
  for (const [key, place] of at) {
    const text = edits.get(key)
    if (text === undefined) continue
    const offer = cells.get(key)?.standing ?? null
    const read = meant(text, place.column.currency, locale)
    if ('mistake' in read) mistakes.set(key, read.mistake)
    else if (!isSame(offer, read.amount)) {
      if (offer === null && read.amount !== null) {
        created.push({ key, body: { variant: place.variant, ...place.column, amount: read.amount } })
      } else if (offer !== null && read.amount !== null) changed.push({ key, offer, amount: read.amount })
      else if (offer !== null) removed.push({ key, offer })
    }
  }
  return { created, changed, removed, mistakes }
}

/** A rectangle as spreadsheets put it on the clipboard: tabs between cells, a line for each row. */
export function pasted(text: string): string[][] {
  const lines = text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
  return lines.map((line) => line.split('\t').map((each) => each.trim().replaceAll(/^"|"$/g, '')))
}

/** A pasted text as an amount is typed: without the sign or code of a currency. */
export function bare(text: string): string {
  return text.replaceAll(/[\p{Sc}]|\b[A-Z]{3}\b/gu, '').trim()
}

/** The cells that a concurrent write gave another offer. */
export function overtaken(
  keys: Iterable<string>,
  before: ReadonlyMap<string, Cell>,
  now: ReadonlyMap<string, Cell>,
): string[] {
  return [...keys].filter((key) => {
    const [was, is] = [before.get(key)?.standing ?? null, now.get(key)?.standing ?? null]
    return was?.['@id'] !== is?.['@id'] || was?.version !== is?.version
  })
}
