const plainDecimal = /^(\d+)(?:\.(\d+))?$/

/**
 * An amount as the service accepts it: a fraction of zeros only is removed, because Shopify writes `1990.00`
 * for currencies without decimals too. Whatever is no plain decimal is left for the service to refuse.
 */
export function tidyAmount(text: string): string {
  return text.replace(/^(\d+)\.0*$/, '$1')
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
