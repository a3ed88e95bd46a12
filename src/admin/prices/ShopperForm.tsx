import { Box, Button, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { useWords } from '../core/i18n.ts'
import type { Shopper } from '../core/settings.ts'
import { ChannelsInput, CountriesInput } from './MarketInputs.tsx'

/** The shopper for whom prices are resolved: an existing channel and country. */
export function ShopperForm({
  shopper,
  onChoose,
}: {
  shopper: Shopper
  onChoose: (shopper: Shopper) => void
}) {
  const words = useWords('layout')
  const [{ channel, country }, setDraft] = useState(shopper)
  const isComplete = channel !== '' && country !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete) onChoose({ channel, country })
  }
  return (
    <Box component="form" onSubmit={submit} sx={{ display: 'grid', gap: 2, p: 2.5, width: 300 }}>
      <Typography variant="body2">{words.pricesHint}</Typography>
      <ChannelsInput
        label={words.channel}
        value={channel === '' ? [] : [channel]}
        onChange={(next) => setDraft({ channel: next.at(-1) ?? '', country })}
      />
      <CountriesInput
        label={words.country}
        value={country === '' ? [] : [country]}
        onChange={(next) => setDraft({ channel, country: next.at(-1) ?? '' })}
      />
      <Button type="submit" variant="contained" disabled={!isComplete}>
        {words.showPrices}
      </Button>
    </Box>
  )
}
