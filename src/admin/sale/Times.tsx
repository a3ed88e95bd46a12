import { Alert, Autocomplete, Stack, TextField } from '@mui/material'
import { instantIn } from '../core/clock.ts'
import { useWords } from '../core/i18n.ts'
import { shopZone, zones, zoneText } from '../core/zone.ts'
import { Period } from '../fields/Period.tsx'

/** Times by the clocks of a zone, as inputs have them; null is the shop's. */
export type Window = { readonly from: string; readonly until: string; readonly zone: string | null }

/** The instants that are meant; null where one lacks, or the end is not later. */
export function windowOf({
  from,
  until,
  zone,
}: Window): { readonly from: string; readonly until: string } | null {
  const [begin, end] = [from, until].map((each) => instantIn(each, zone ?? shopZone()))
  return begin && end && begin < end ? { from: begin.toISOString(), until: end.toISOString() } : null
}

/** From when until when, in the time zone of the shop unless another is chosen for this sale. */
export function Times({ value, onChange }: { value: Window; onChange: (value: Window) => void }) {
  const words = useWords('sale')
  const zone = value.zone ?? shopZone()
  const begin = instantIn(value.from, zone)
  const isReversed = value.from !== '' && value.until !== '' && windowOf(value) === null
  return (
    <>
      <Stack
        direction="row"
        useFlexGap
        spacing={2}
        sx={{ flexWrap: 'wrap', mt: 2, alignItems: 'flex-start' }}
      >
        <Period
          type="datetime-local"
          size="small"
          labels={words}
          value={value}
          fault={isReversed ? words.reversed : undefined}
          onChange={(change) => onChange({ ...value, ...change })}
          sx={{ flex: '1 1 200px' }}
        />
        <Autocomplete
          options={zones()}
          value={zone}
          disableClearable
          size="small"
          onChange={(_, next) => onChange({ ...value, zone: next })}
          sx={{ flex: '1 1 240px' }}
          renderInput={(params) => (
            <TextField
              {...params}
              label={words.zone}
              helperText={words.zoneHint(zoneText(zone, begin ?? new Date()))}
            />
          )}
        />
      </Stack>
      {begin !== null && begin < new Date() && (
        <Alert severity="info" sx={{ mt: 1 }}>
          {words.past}
        </Alert>
      )}
    </>
  )
}
