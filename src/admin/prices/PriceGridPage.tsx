import ArrowBackIcon from '@mui/icons-material/ArrowBack'
import { Alert, Box, Button, CircularProgress, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, Title, useCreatePath } from 'react-admin'
import { useParams } from 'react-router-dom'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { everyMember } from '../core/pages.ts'
import { currentShopper } from '../core/settings.ts'
import { variantName } from '../fields/Title.tsx'
import type { Column } from './grid.ts'
import type { SaleOffer } from './offer.ts'
import { PriceGrid } from './PriceGrid.tsx'
import { readVariants } from './variants.tsx'

type Product = { readonly title: string; readonly channels: readonly string[] }

/** All prices of a product's variants, of every channel, country and currency, to be typed like a spreadsheet. */
export function PriceGridPage() {
  const words = useWords('grid')
  const path = useCreatePath()
  const { product = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['price grid', product],
    queryFn: () => readGrid(product),
    // Unsaved input is compared with the read prices, so only a user's action reads them again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error && !data) return <Alert severity="warning">{error.message}</Alert>
  if (!data) return <CircularProgress size={24} sx={{ m: 4 }} />
  return (
    <Box sx={{ pt: 2 }}>
      <Title title={words.titleOf(data.title)} />
      <Button
        component={Link}
        to={path({ resource: 'products', type: 'edit', id: product })}
        size="small"
        startIcon={<ArrowBackIcon />}
      >
        {words.back}
      </Button>
      <Typography sx={{ fontSize: '1.35rem', fontWeight: 700, my: 1 }}>
        {words.titleOf(data.title)}
      </Typography>
      <PriceGrid
        key={product}
        rows={data.rows}
        offers={data.offers}
        columns={data.columns}
        read={async () => (await refetch({ throwOnError: true })).data ?? data}
      />
    </Box>
  )
}

async function readGrid(product: string) {
  const [{ json }, variants, offers] = await Promise.all([
    call<Product>(`${product}?properties[]=title&properties[]=channels`),
    readVariants(product),
    readOffers(product),
  ])
  const { title, channels } = json
  const rows = variants.map((variant) => ({
    name: variantName(variant),
    variant,
    product: { '@id': product },
  }))
  return { title, rows, offers, columns: usualColumns(channels, offers) }
}

async function readOffers(product: string): Promise<SaleOffer[]> {
  const query = new URLSearchParams({ product, itemsPerPage: '100' })
  return everyMember(`/api/sale_offers?${query}`)
}

/** Where nothing has a price yet, a column to begin with. */
function usualColumns(channels: readonly string[], offers: readonly SaleOffer[]): Column[] {
  if (offers.length > 0) return []
  const { channel } = currentShopper()
  return [{ channel: channels[0] ?? channel, countries: [], currency: 'EUR' }]
}
