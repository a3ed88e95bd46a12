import StorefrontIcon from '@mui/icons-material/Storefront'
import { Box, Button, Popover, Stack, TextField, Typography } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { chooseShopper, currentShopper } from '../core/settings.ts'
import { mayDropEdits } from '../core/unsaved.ts'

/** Chooses for whom prices are resolved. */
export function ShopperButton() {
  const client = useQueryClient()
  const [shopper, setShopper] = useState(currentShopper())
  const [draft, setDraft] = useState(shopper)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const complete = /^[\w.:-]{1,255}$/.test(draft.channel) && /^[A-Z]{2}$/.test(draft.country)
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (!complete || !mayDropEdits()) return
    chooseShopper(draft)
    setShopper(draft)
    setAnchor(null)
    client.resetQueries()
  }
  return (
    <>
      <Button
        color="inherit"
        size="small"
        aria-label={`Prices: ${shopper.channel} · ${shopper.country}`}
        startIcon={<StorefrontIcon />}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        sx={{ whiteSpace: 'nowrap' }}
      >
        <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
          Prices:&nbsp;
        </Box>
        {shopper.channel} · {shopper.country}
      </Button>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      >
        <Stack component="form" onSubmit={apply} spacing={2} sx={{ p: 2.5, width: 280 }}>
          <Typography variant="body2">Prices are shown as this customer gets them now.</Typography>
          <TextField
            label="Channel"
            size="small"
            value={draft.channel}
            onChange={({ target }) => setDraft({ ...draft, channel: target.value.trim() })}
          />
          <TextField
            label="Country (two letters)"
            size="small"
            value={draft.country}
            onChange={({ target }) =>
              setDraft({ ...draft, country: target.value.trim().toUpperCase().slice(0, 2) })
            }
          />
          <Button type="submit" variant="contained" disabled={!complete}>
            Show these prices
          </Button>
        </Stack>
      </Popover>
    </>
  )
}
