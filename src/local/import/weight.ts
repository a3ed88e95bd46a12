const gramsIn: Record<string, number> = { g: 1, kg: 1_000, oz: 28.349523125, lb: 453.59237 }

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
