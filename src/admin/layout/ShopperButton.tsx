import StorefrontIcon from '@mui/icons-material/Storefront'
import { Button, CircularProgress, Popover } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useWords } from '../core/i18n.ts'
import { chooseShopper, currentShopper, type Shopper } from '../core/settings.ts'
import { mayDropEdits } from '../core/unsaved.ts'

/** Loaded when it is opened: what comes first does without. */
const ShopperForm = lazy(async () => ({ default: (await import('../prices/ShopperForm.tsx')).ShopperForm }))

/** Chooses for whom prices are resolved. */
export function ShopperButton() {
  const words = useWords('layout')
  const client = useQueryClient()
  const [shopper, setShopper] = useState(currentShopper())
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const choose = (next: Shopper) => {
    if (!mayDropEdits()) return
    chooseShopper(next)
    setShopper(next)
    setAnchor(null)
    client.resetQueries()
  }
  return (
    <>
      <Button
        color="inherit"
        size="small"
        aria-label={`${words.pricesOf} ${shopper.channel} · ${shopper.country}`}
        startIcon={<StorefrontIcon />}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        sx={{ whiteSpace: 'nowrap', minWidth: 40 }}
      >
        <span className="wide">
          {words.pricesOf}&nbsp;{shopper.channel} · {shopper.country}
        </span>
      </Button>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      >
        <Suspense fallback={<CircularProgress size={24} sx={{ m: 2.5 }} />}>
          <ShopperForm shopper={shopper} onChoose={choose} />
        </Suspense>
      </Popover>
    </>
  )
}
