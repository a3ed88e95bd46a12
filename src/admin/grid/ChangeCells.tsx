import { Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { decimalOf } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { Choice } from '../fields/Choice.tsx'
import { Modal } from '../layout/Modal.tsx'
import { type Rounding, roundings } from '../sale/reduction.ts'
import type { TextChange } from './change-text.ts'
import { useGridWords } from './words.ts'

/** Changes the selected cells, or a column: prices by percent and to an ending, or a part of the texts. */
export function ChangeCells({
  count,
  onApply,
  onClose,
}: {
  /** The number of cells. */
  count: number
  onApply: (change: TextChange) => void
  onClose: () => void
}) {
  const words = useGridWords()
  const sale = useWords('sale')
  const bulk = useWords('bulk')
  const [kind, setKind] = useState<TextChange['kind']>('prices')
  const [percent, setPercent] = useState('')
  const [rounding, setRounding] = useState<Rounding>('unit')
  const [find, setFind] = useState('')
  const [by, setBy] = useState('')
  const number = Number(decimalOf(percent || '0', interfaceLocale()) ?? Number.NaN)
  const isComplete = kind === 'replace' ? find !== '' : number > -100 && number <= 1000
  const apply = () => {
    onApply(kind === 'replace' ? { kind, find, by } : { kind, percent: number, rounding })
    onClose()
  }
  return (
    <Modal
      onClose={onClose}
      title={words.change}
      maxWidth="xs"
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button variant="contained" disabled={!isComplete} onClick={apply}>
            {bulk.run}
          </Button>
        </>
      }
    >
      <Stack spacing={2} sx={{ pt: 1 }}>
        <Typography variant="body2">{words.changes(count)}</Typography>
        <Choice
          label={bulk.what}
          value={kind}
          choices={[
            ['prices', words.changePrices],
            ['replace', words.replace],
          ]}
          onChoose={setKind}
        />
        {kind === 'prices' && (
          <>
            <TextField
              label={bulk.percent}
              value={percent}
              onChange={({ target }) => setPercent(target.value)}
              slotProps={{ htmlInput: { inputMode: 'decimal' } }}
            />
            <Choice
              label={sale.rounding}
              value={rounding}
              choices={roundings.map((each) => [each, sale.roundings[each]] as const)}
              onChoose={setRounding}
            />
          </>
        )}
        {kind === 'replace' && (
          <>
            <TextField label={words.findText} value={find} onChange={({ target }) => setFind(target.value)} />
            <TextField label={words.by} value={by} onChange={({ target }) => setBy(target.value)} />
          </>
        )}
      </Stack>
    </Modal>
  )
}
