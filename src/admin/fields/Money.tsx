import { Box } from '@mui/material'
import { useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'

/** `19.90` and `EUR` as people of the interface's language write it; amounts are texts and stay exact. */
export function money(amount: string, currency: string): string {
  const format = new Intl.NumberFormat(interfaceLocale(), { style: 'currency', currency })
  return format.format(amount as Intl.StringNumericLiteral)
}

/** An amount of the record with its currency, and the previous amount. */
export function Money({
  source,
  before,
}: {
  source: string
  before?: string
  label?: string
  textAlign?: string
}) {
  const record = useRecordContext()
  if (!record || record[source] == null) return null
  const earlier = before === undefined ? null : record[before]
  return (
    <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {money(record[source], record.currency)}
      {earlier != null && (
        <Box component="s" sx={{ ml: 0.75, opacity: 0.75, fontSize: '0.9em' }}>
          {money(earlier, record.currency)}
        </Box>
      )}
    </Box>
  )
}

type Priced = { resolvedPrice?: { amount: string; currency: string } | null }

/** The price of a product for the chosen shopper: one price, or from the lowest of its variants. */
export function PriceRange(_: { label?: string; textAlign?: string }) {
  const words = useWords('fields')
  const record = useRecordContext()
  const prices = ((record?.variants ?? []) as Priced[]).flatMap(({ resolvedPrice }) => resolvedPrice ?? [])
  const [lowest] = prices.toSorted((a, b) => Number(a.amount) - Number(b.amount))
  if (!lowest) return <Box sx={{ opacity: 0.75 }}>{words.noPrice}</Box>
  const one = prices.every(({ amount }) => amount === lowest.amount)
  return (
    <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {one ? money(lowest.amount, lowest.currency) : words.from(money(lowest.amount, lowest.currency))}
    </Box>
  )
}
