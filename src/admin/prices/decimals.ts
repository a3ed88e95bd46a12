/** Amounts as texts, reckoned exactly in the smallest unit of their currency. */

/** `19.90` EUR as 1990; what has more decimals than its currency is not an amount. */
export function unitsOf(amount: string, currency: string): bigint | null {
  const digits = digitsOf(currency)
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount)
  if (!found) return null
  const [, sign, whole, fraction = ''] = found
  if (/[1-9]/.test(fraction.slice(digits))) return null
  const units = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  return sign === '-' ? -units : units
}

/** 1990 as `19.90` EUR. */
export function amountOf(units: bigint, currency: string): string {
  const digits = digitsOf(currency)
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return units < 0n ? `-${amount}` : amount
}

/** Decimals of a currency, as ISO 4217 has them. */
export function digitsOf(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

/** Half away from zero, as prices are rounded. The divisor is positive. */
export function divided(number: bigint, divisor: bigint): bigint {
  const half = divisor / 2n
  return number < 0n ? -((-number + half) / divisor) : (number + half) / divisor
}

/** The margin of a price after its cost, and its share of the price in tenths of a percent; null if one is not an amount. */
export function marginOf(
  price: string,
  cost: string,
  currency: string,
): { readonly amount: string; readonly permille: number } | null {
  const [full, spent] = [unitsOf(price, currency), unitsOf(cost, currency)]
  if (full === null || spent === null || full <= 0n) return null
  return { amount: amountOf(full - spent, currency), permille: Number(divided((full - spent) * 1000n, full)) }
}
