/** Values of cells: amounts, weights and handles. */

/** A decimal as the service accepts it. */
export const plainDecimal = /^(\d+)(?:\.(\d+))?$/

/**
 * An amount without zeros at its end, which Shopify writes for currencies without decimals (`1990.00`), and Magento after cents (`9.5000`).
 * Other texts remain.
 */
export function tidyAmount(text: string): string {
  return text.replace(/^(\d+)\.0*$/, '$1').replace(/^(\d+\.\d\d)0+$/, '$1')
}

/** Below, at or above zero as `a` is less than, equal to or more than `b`; null when one is no plain decimal. */
export function compareAmounts(a: string, b: string): number | null {
  const [left, right] = [plainDecimal.exec(a), plainDecimal.exec(b)]
  if (!left || !right) return null
  const decimals = Math.max(left[2]?.length ?? 0, right[2]?.length ?? 0)
  const scaled = ([, whole = '', fraction = '']: RegExpExecArray) =>
    BigInt(whole + fraction.padEnd(decimals, '0'))
  const [l, r] = [scaled(left), scaled(right)]
  return l < r ? -1 : l > r ? 1 : 0
}

/** True when both name the same sum, or neither names one. */
export function sameAmount(a: string | null | undefined, b: string | null | undefined): boolean {
  if (!a || !b) return !a && !b
  return a === b || compareAmounts(a, b) === 0
}

/** Grams of a unit of weight. */
export const gramsIn: Record<string, number> = { g: 1, kg: 1_000, oz: 28.349523125, lb: 453.59237 }

/**
 * A weight in its display unit, from Shopify's grams. Exports round to whole grams, so the shortest decimal that is
 * less than half a gram off is taken: 454 g shown in pounds is 1 lb. Zero means "not weighed": null. Undefined when
 * the cell is no number.
 */
export function weightFromGrams(
  grams: string,
  displayUnit: string,
): { value: number; unit: string } | null | undefined {
  if (grams === '') return null
  if (!/^\d+(\.\d+)?$/.test(grams)) return undefined
  const mass = Number(grams)
  if (mass === 0) return null
  const unit = displayUnit.toLowerCase()
  const unitGrams = gramsIn[unit]
  if (!unitGrams || unit === 'g') return { value: mass, unit: 'g' }
  for (let decimals = 0; decimals <= 6; decimals += 1) {
    const value = Number((mass / unitGrams).toFixed(decimals))
    if (Math.abs(value * unitGrams - mass) < 0.499) return { value, unit }
  }
  return { value: mass, unit: 'g' }
}

/** Shopify's units of contents: the service's unit, and how many of them one has (UnitPriceMeasurementMeasuredUnit of its API). */
const contentUnits: Record<string, readonly [unit: string, perUnit: number]> = {
  ...Object.fromEntries(['g', 'kg', 'ml', 'l', 'm', 'm2', 'm3'].map((unit) => [unit, [unit, 1]])),
  mg: ['g', 1000],
  cl: ['l', 100],
  cm: ['m', 100],
  mm: ['m', 1000],
  item: ['piece', 1],
  piece: ['piece', 1],
}
export const contentUnitNames = Object.keys(contentUnits)

/** The content of a package. Zero means "not measured": null. Undefined for a cell that is no number, or a unit that is not metric. */
export function contentOf(
  measure: string,
  written: string,
): { value: number; unit: string } | null | undefined {
  if (/^0*(\.0*)?$/.test(measure)) return null
  const [unit, perUnit] = contentUnits[written.toLowerCase()] ?? []
  if (unit === undefined || perUnit === undefined || !plainDecimal.test(measure)) return undefined
  return { value: Number((Number(measure) / perUnit).toFixed(6)), unit }
}

/**
 * A handle in the service's form (`^[a-z0-9]+(?:-[a-z0-9]+)*$`): lower case, accents dropped, anything else a dash.
 * Null when nothing is left of it.
 */
export function slug(handle: string): string | null {
  const plain = handle.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const dashed = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return dashed === '' ? null : dashed
}
