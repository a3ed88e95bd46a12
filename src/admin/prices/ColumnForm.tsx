import AddIcon from '@mui/icons-material/Add'
import { Autocomplete, Box, Button, TextField } from '@mui/material'
import { useState } from 'react'
import { useWords } from '../core/i18n.ts'
import { Modal } from '../layout/Modal.tsx'
import { type Column, columnKey } from './grid.ts'
import { ChannelsInput, CountriesInput } from './MarketInputs.tsx'
import { useMarkets } from './markets.ts'

/** Adds a place for prices to a grid: a channel, countries and a currency. */
export function ColumnForm({ taken, onAdd }: { taken: readonly Column[]; onAdd: (column: Column) => void }) {
  const words = useWords('grid')
  const { currencies } = useMarkets()
  const [isOpen, setOpen] = useState(false)
  const [channels, setChannels] = useState<readonly string[]>([])
  const [countries, setCountries] = useState<readonly string[]>([])
  const [currency, setCurrency] = useState('')
  const code = currency.trim().toUpperCase()
  const column = { channel: channels[0] ?? null, countries: countries.toSorted(), currency: code }
  const exists = taken.some((each) => columnKey(each) === columnKey(column))
  const add = () => {
    onAdd(column)
    setOpen(false)
  }
  return (
    <>
      <Button startIcon={<AddIcon />} onClick={() => setOpen(true)}>
        {words.addColumn}
      </Button>
      <Modal
        open={isOpen}
        onClose={() => setOpen(false)}
        maxWidth="xs"
        title={words.addColumn}
        actions={
          <>
            <Button onClick={() => setOpen(false)}>{words.cancel}</Button>
            <Button variant="contained" disabled={!/^[A-Z]{3}$/.test(code) || exists} onClick={add}>
              {words.add}
            </Button>
          </>
        }
      >
        <Box sx={{ display: 'grid', gap: 2, pt: 1 }}>
          <ChannelsInput
            label={words.channel}
            helperText={words.channelHint}
            value={channels}
            onChange={(next) => setChannels(next.slice(-1))}
          />
          <CountriesInput
            label={words.countries}
            helperText={words.countriesHint}
            value={countries}
            onChange={setCountries}
          />
          <Autocomplete
            freeSolo
            options={currencies}
            inputValue={currency}
            size="small"
            onInputChange={(_, next) => setCurrency(next)}
            renderInput={(params) => (
              <TextField
                {...params}
                label={words.currency}
                error={exists}
                helperText={exists ? words.exists : words.currencyHint}
              />
            )}
          />
        </Box>
      </Modal>
    </>
  )
}
