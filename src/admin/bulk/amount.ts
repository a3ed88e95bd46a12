/** An amount changed by so many percent, exactly, with so many decimals; halves go up. */
export function amountBy(amount: string, percent: number, decimals: number): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const scale = Math.max(fraction.length, decimals)
  const units = BigInt(whole + fraction.padEnd(scale, '0'))
  // Hundredths of a percent, in addition to the decimals by which the amount exceeds its currency.
  const divisor = 10_000n * 10n ** BigInt(scale - decimals)
  const changed = (units * BigInt(10_000 + Math.round(percent * 100)) + divisor / 2n) / divisor
  const text = changed.toString().padStart(decimals + 1, '0')
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
}
