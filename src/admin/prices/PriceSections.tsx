import { Box } from '@mui/material'
import { type KeyboardEvent, lazy, Suspense } from 'react'
import { useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { Section } from '../layout/Section.tsx'

const PriceHistory = lazy(async () => ({ default: (await import('./PriceHistory.tsx')).PriceHistory }))
const WhyPrice = lazy(async () => ({ default: (await import('./WhyPrice.tsx')).WhyPrice }))

/** Prices of a product for the chosen shopper; loaded when the section is opened. */
export function PriceSections() {
  const words = useWords('prices')
  const why = useWords('why')
  const record = useRecordContext()
  if (!record || !hasScope('sale_offers:read')) return null
  const product = String(record.id)
  return (
    <Box onKeyDown={staysHere} sx={{ mb: 2, '& > :last-child': { mb: 0 } }}>
      <Section title={why.title} open={false} lazy>
        <Suspense fallback={null}>
          <WhyPrice product={product} />
        </Suspense>
      </Section>
      <Section title={words.history} open={false} lazy>
        <Suspense fallback={null}>
          <PriceHistory product={product} />
        </Suspense>
      </Section>
    </Box>
  )
}

/** The inputs are inside the form of the product, which Enter would save. */
function staysHere(event: KeyboardEvent) {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}
