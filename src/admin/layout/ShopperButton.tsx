import StorefrontIcon from '@mui/icons-material/Storefront'
import { Box, Button, Popover, Stack, TextField, Typography } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useWords } from '../core/i18n.ts'
import { chooseShopper, currentShopper } from '../core/settings.ts'
import { mayDropEdits } from '../core/unsaved.ts'
import { layoutWords } from './words.ts'

/** Chooses for whom prices are resolved. */
export function ShopperButton() {
  const words = useWords(layoutWords)
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
        aria-label={`${words.pricesOf} ${shopper.channel} · ${shopper.country}`}
        startIcon={<StorefrontIcon />}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        sx={{ whiteSpace: 'nowrap' }}
      >
        <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
          {words.pricesOf}&nbsp;
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
          <Typography variant="body2">{words.pricesHint}</Typography>
          <TextField
            label={words.channel}
            size="small"
            value={draft.channel}
            onChange={({ target }) => setDraft({ ...draft, channel: target.value.trim() })}
          />
          <TextField
            label={words.country}
            size="small"
            value={draft.country}
            onChange={({ target }) =>
              setDraft({ ...draft, country: target.value.trim().toUpperCase().slice(0, 2) })
            }
          />
          <Button type="submit" variant="contained" disabled={!complete}>
            {words.showPrices}
          </Button>
        </Stack>
      </Popover>
    </>
  )
}
