import { Box } from '@mui/material'
import { type KeyboardEvent, lazy, Suspense } from 'react'
import { useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { Section } from '../layout/Section.tsx'
import { whyWords } from './why-words.ts'
import { priceWords } from './words.ts'

const PriceHistory = lazy(async () => ({ default: (await import('./PriceHistory.tsx')).PriceHistory }))
const WhyPrice = lazy(async () => ({ default: (await import('./WhyPrice.tsx')).WhyPrice }))

/** What there is to know of a product's prices for the shopper that is chosen; loaded when it is opened. */
export function PriceSections() {
  const words = useWords(priceWords)
  const why = useWords(whyWords)
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

/** Their inputs stand in the form of the product, which Enter would save. */
function staysHere(event: KeyboardEvent) {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}
