import type { Violation } from '../cli/http.ts'
import { table } from '../cli/output.ts'
import { type ImportedProduct, type Remark, variantName } from './product.ts'

export type Counted = 'products' | 'variants' | 'offers'
export type Fate = 'created' | 'updated' | 'unchanged' | 'refused'

const fates: readonly Fate[] = ['created', 'updated', 'unchanged', 'refused']
const counted: readonly Counted[] = ['products', 'variants', 'offers']

/** The result of an import: counts, rejections, and values that were imported differently. */
export class Report {
  readonly counts: Record<Counted, Record<Fate, number>> = {
    products: { created: 0, updated: 0, unchanged: 0, refused: 0 },
    variants: { created: 0, updated: 0, unchanged: 0, refused: 0 },
    offers: { created: 0, updated: 0, unchanged: 0, refused: 0 },
  }
  readonly refusals: Remark[] = []
  readonly notes: Remark[] = []

  count(what: Counted, fate: Fate, many = 1): void {
    this.counts[what][fate] += many
  }

  /** A product that is not written at all: its variants and prices are not either. */
  refuseProduct(product: ImportedProduct, remarks: readonly Remark[]): void {
    this.count('products', 'refused')
    this.count('variants', 'refused', product.variants.length)
    this.count('offers', 'refused', product.variants.filter(({ price }) => price !== null).length)
    this.refusals.push(...remarks)
  }

  get refusedAnything(): boolean {
    return this.refusals.length > 0
  }

  /** The table of counts, then refusals and notes by line. */
  text(): string {
    const rows = counted.map((what) => [what, ...fates.map((fate) => this.counts[what][fate])])
    const counts = table([['', ...fates], ...rows])
    return [counts, ...listed('Refused', this.refusals), ...listed('Noted', this.notes)].join('\n')
  }
}

/** The refusals of one product's body, each on the line of the variant that its path names. */
export function remarksOnProduct(product: ImportedProduct, violations: readonly Violation[]): Remark[] {
  return violations.map(({ propertyPath, message }) => {
    const [, place] = /^variants\[(\d+)\]/.exec(propertyPath) ?? []
    const variant = place === undefined ? undefined : product.variants[Number(place)]
    const path = variant ? propertyPath.replace(/^variants\[\d+\]\.?/, '') : propertyPath
    const whose = variant ? variantName(variant) : ''
    return {
      line: variant?.line ?? product.line,
      handle: product.handle,
      message: remarkText(whose, path, message),
    }
  })
}

/** The rejections of the body of one line. */
export function remarksOnLine(line: number, handle: string, violations: readonly Violation[]): Remark[] {
  return violations.map(({ propertyPath, message }) => ({
    line,
    handle,
    message: remarkText('', propertyPath, message),
  }))
}

function remarkText(whose: string, path: string, message: string): string {
  return [whose, path, message].filter((part) => part !== '').join(': ')
}

function listed(title: string, remarks: readonly Remark[]): string[] {
  if (remarks.length === 0) return []
  const sorted = remarks.toSorted((a, b) => a.line - b.line)
  const width = String(sorted.at(-1)?.line).length
  const lineOf = (line: number) => `  line ${String(line).padStart(width)}`
  const rows = sorted.map(({ line, handle, message }) => [lineOf(line), handle || '–', message])
  return ['', `${title}:`, table(rows)]
}
