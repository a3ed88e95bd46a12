/** The price in a sale. Pure, exact, in the smallest unit of the currency. */
import { amountOf, digitsOf, divided, unitsOf } from '../prices/decimals.ts'

export type Reduction = {
  readonly by: 'percent' | 'amount'
  /** `20`, `12.5`, `5.00`: a decimal as the service writes them. */
  readonly value: string
  readonly rounding: Rounding
}

/**
 * To the nearest multiple of so many hundredths of the currency's whole unit, half up; `ends 99` and the like go down to the nearest
 * price with that ending. `unit` is the smallest unit that the currency has.
 */
export const roundings = ['unit', '5', '10', '50', '100', 'ends 90', 'ends 95', 'ends 99'] as const
export type Rounding = (typeof roundings)[number]

/** The new amount; null where it would not be above zero and below the old one, or an input is no amount. */
export function reduced(amount: string, currency: string, { by, value, rounding }: Reduction): string | null {
  const old = unitsOf(amount, currency)
  const exact =
    old === null ? null : by === 'percent' ? lessPercent(old, value) : lessAmount(old, value, currency)
  if (old === null || exact === null) return null
  const units = rounded(exact, rounding, digitsOf(currency))
  return units > 0n && units < old ? amountOf(units, currency) : null
}

/** Hundredths of a percent are as fine as it goes. */
function lessPercent(old: bigint, percent: string): bigint | null {
  const found = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(percent)
  if (!found) return null
  const hundredths = BigInt(`${found[1]}${(found[2] ?? '').padEnd(2, '0')}`)
  return hundredths > 10_000n ? null : divided(old * (10_000n - hundredths), 10_000n)
}

function lessAmount(old: bigint, amount: string, currency: string): bigint | null {
  const units = unitsOf(amount, currency)
  return units === null ? null : old - units
}

/** An amount in the smallest unit, rounded. */
export function rounded(units: bigint, rounding: Rounding, digits: number): bigint {
  const whole = 10n ** BigInt(digits)
  const ending = /^ends (\d+)$/.exec(rounding)?.[1]
  if (ending !== undefined) {
    // A currency without hundredths has no such endings.
    if (digits < 2) return units
    const end = (BigInt(ending) * whole) / 100n
    return units < end ? units : ((units - end) / whole) * whole + end
  }
  const step = rounding === 'unit' ? 1n : (BigInt(rounding) * whole) / 100n
  return step <= 1n ? units : divided(units, step) * step
}
