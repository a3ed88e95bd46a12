/** Changes of the texts of many cells at once. Pure. */
import { amountBy } from '../bulk/amount.ts'
import { decimalOf, decimalText } from '../core/decimal-text.ts'
import { amountOf, digitsOf, unitsOf } from '../prices/decimals.ts'
import { type Rounding, rounded } from '../sale/reduction.ts'

export type TextChange =
  | { readonly kind: 'prices'; readonly percent: number; readonly rounding: Rounding }
  | { readonly kind: 'replace'; readonly find: string; readonly by: string }

/** The new text of a cell. Texts to which the change does not apply stay as they are. `currency` is null in columns of texts. */
export function changedText(
  text: string,
  change: TextChange,
  currency: string | null,
  locale: string,
): string {
  if (change.kind === 'replace') return text.replaceAll(change.find, change.by)
  const amount = decimalOf(text, locale)
  if (currency === null || amount === null) return text
  const digits = digitsOf(currency)
  const units = unitsOf(amountBy(amount, change.percent, digits), currency) ?? 0n
  return decimalText(amountOf(rounded(units, change.rounding, digits), currency), locale)
}
