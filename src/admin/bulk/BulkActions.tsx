import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  FormControl,
  FormControlLabel,
  FormLabel,
  LinearProgress,
  MenuItem,
  Radio,
  RadioGroup,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useListContext, useRefresh, useTranslate } from 'react-admin'
import { decimalOf } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { everyPage } from '../core/pages.ts'
import { coreWords } from '../core/words.ts'
import { ChannelsInput } from '../prices/MarketInputs.tsx'
import { applyChange, type Kind, takeBack, type Undo } from './changes.ts'
import { forEach, type Outcome } from './run.ts'
import { bulkWords } from './words.ts'

/** Changes the selected products, or all that the list finds, at once; what was changed can be taken back. */
export function BulkActions() {
  const words = useWords(bulkWords)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {words.change}
      </Button>
      {isOpen && <ChangeMany onClose={() => setOpen(false)} />}
    </>
  )
}

type Draft = { readonly kind: Kind; readonly text: string; readonly all: boolean }

function ChangeMany({ onClose }: { onClose: () => void }) {
  const words = useWords(bulkWords)
  const { tryAgain } = useWords(coreWords)
  const { selectedIds = [], filterValues, total, onUnselectItems } = useListContext()
  const refresh = useRefresh()
  const [draft, setDraft] = useState<Draft>({ kind: 'status', text: 'ACTIVE', all: false })
  const [progress, setProgress] = useState<{ through: number; of: number } | null>(null)
  const [outcome, setOutcome] = useState<(Outcome<Undo> & { readonly undone?: boolean }) | null>(null)
  const stop = useRef(new AbortController())
  const percent = Number(decimalOf(draft.text, interfaceLocale()) ?? Number.NaN)
  const values = valuesIn(draft.text)
  const isComplete = draft.kind === 'prices' ? percent > -100 && percent <= 1000 : values.length > 0
  const through = async <Item,>(items: readonly Item[], act: (item: Item) => Promise<Undo[]>) => {
    setProgress({ through: 0, of: items.length })
    const found = await forEach(items, act, stop.current.signal, (count) =>
      setProgress({ through: count, of: items.length }),
    )
    setProgress(null)
    // The list is read again when the dialog closes: without a row it would close the dialog, and with it the way to undo.
    if (stop.current.signal.aborted) refresh()
    return found
  }
  const run = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const earlier = outcome?.done ?? []
    try {
      const products = draft.all ? await found(filterValues, signal) : selectedIds.map(String)
      const change = { kind: draft.kind, values, percent }
      const { done, refusals } = await through(products, (product) => applyChange(product, change, signal))
      setOutcome({ done: [...earlier, ...done], refusals })
    } catch (error) {
      setOutcome({ done: earlier, refusals: [(error as Error).message] })
      setProgress(null)
    }
  }
  const undo = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    setOutcome({
      ...(await through(outcome?.done ?? [], (each) => takeBack(each, signal))),
      undone: true,
    })
  }
  const close = () => {
    stop.current.abort()
    if (outcome) {
      onUnselectItems()
      refresh()
      // What opened this goes with the choice: the next one begins where rows are chosen.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('th input[type=checkbox]')?.focus())
    }
    onClose()
  }
  // A second percentage would be taken off prices that the first attempt has changed.
  const mayRunAgain =
    outcome !== null && !outcome.undone && outcome.refusals.length > 0 && draft.kind !== 'prices'
  const reasons = [...new Set(outcome?.refusals)].slice(0, 5)
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="bulk">
      <DialogTitle id="bulk">{words.title}</DialogTitle>
      <DialogContent>
        {!outcome && <Asked draft={draft} onChange={setDraft} selected={selectedIds.length} total={total} />}
        {progress && (
          <Stack spacing={1} sx={{ mt: 2 }}>
            <LinearProgress
              aria-label={words.title}
              variant="determinate"
              value={progress.of === 0 ? 100 : (100 * progress.through) / progress.of}
            />
            <Typography variant="body2">{words.progress(progress.through, progress.of)}</Typography>
          </Stack>
        )}
        {outcome && (
          <Alert severity={outcome.refusals.length > 0 ? 'warning' : 'success'} sx={{ mt: 2 }}>
            {outcome.undone ? words.undone(outcome.done.length) : words.done(outcome.done.length)}
            {reasons.length > 0 && ` ${words.failed(outcome.refusals.length)} ${reasons.join(' ')}`}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>{progress ? words.stop : words.close}</Button>
        {outcome && !outcome.undone && outcome.done.length > 0 && (
          <Button disabled={progress !== null} onClick={undo}>
            {words.undo}
          </Button>
        )}
        {(!outcome || mayRunAgain) && (
          <Button variant="contained" disabled={progress !== null || !isComplete} onClick={run}>
            {outcome ? tryAgain : words.run}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

function Asked({
  draft,
  onChange,
  selected,
  total,
}: {
  draft: Draft
  onChange: (draft: Draft) => void
  selected: number
  total: number | undefined
}) {
  const words = useWords(bulkWords)
  const translate = useTranslate()
  const kinds = Object.entries(words.changes) as [Kind, string][]
  const standing = (kind: Kind) => (kind === 'status' ? 'ACTIVE' : '')
  const isCategory = draft.kind === 'addCategories' || draft.kind === 'removeCategories'
  const isChannel = draft.kind === 'addChannels' || draft.kind === 'removeChannels'
  const choices = useCategories(isCategory)
  const set = (text: string) => onChange({ ...draft, text })
  return (
    <Stack spacing={2} sx={{ pt: 1 }}>
      <FormControl>
        <FormLabel id="which">{words.which}</FormLabel>
        <RadioGroup
          aria-labelledby="which"
          value={draft.all ? 'all' : 'selected'}
          onChange={(_, value) => onChange({ ...draft, all: value === 'all' })}
        >
          <FormControlLabel value="selected" control={<Radio />} label={words.selected(selected)} />
          <FormControlLabel value="all" control={<Radio />} label={words.all(total)} />
        </RadioGroup>
      </FormControl>
      <TextField
        select
        label={words.what}
        value={draft.kind}
        onChange={({ target }) => {
          const [kind = 'status'] = kinds.map(([each]) => each).filter((each) => each === target.value)
          onChange({ ...draft, kind, text: standing(kind) })
        }}
      >
        {kinds.map(([kind, name]) => (
          <MenuItem key={kind} value={kind}>
            {name}
          </MenuItem>
        ))}
      </TextField>
      {draft.kind === 'status' && (
        <TextField
          select
          label={words.status}
          value={draft.text}
          onChange={({ target }) => set(target.value)}
        >
          {['ACTIVE', 'DRAFT', 'ARCHIVED'].map((status) => (
            <MenuItem key={status} value={status}>
              {translate(`status.${status}`)}
            </MenuItem>
          ))}
        </TextField>
      )}
      {isCategory && (
        <TextField
          select
          label={words.category}
          value={draft.text}
          onChange={({ target }) => set(target.value)}
        >
          {choices.map(({ id, name }) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
      )}
      {isChannel && (
        <ChannelsInput
          label={words.channels}
          value={valuesIn(draft.text)}
          onChange={(channels) => set(channels.join(','))}
        />
      )}
      {draft.kind !== 'status' && !isCategory && !isChannel && (
        <TextField
          label={draft.kind === 'prices' ? words.percent : words.values}
          value={draft.text}
          onChange={({ target }) => set(target.value)}
          slotProps={{ htmlInput: { inputMode: draft.kind === 'prices' ? 'decimal' : 'text' } }}
        />
      )}
      <Typography variant="body2">
        {draft.kind === 'prices' ? words.pricesHint : words.ordinaryHint}
      </Typography>
    </Stack>
  )
}

function valuesIn(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

type Category = { readonly '@id': string; readonly title: string }

function useCategories(enabled: boolean): { id: string; name: string }[] {
  const { data = [] } = useQuery({
    queryKey: ['categories', 'bulk'],
    enabled,
    queryFn: async () => {
      const found: Category[] = []
      for await (const { members } of everyPage<Category>('/api/categories?itemsPerPage=100'))
        found.push(...members)
      return found
    },
  })
  return data.map((each) => ({ id: each['@id'], name: each.title }))
}

/** Every product that a list finds, on all its pages. */
async function found(filter: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string[]> {
  const query = new URLSearchParams({
    itemsPerPage: '100',
    'order[createdAt]': 'asc',
    'properties[]': 'title',
  })
  for (const [name, value] of Object.entries(filter)) if (value != null) query.set(name, String(value))
  const products: string[] = []
  for await (const { members } of everyPage<Category>(`/api/products?${query}`, signal)) {
    products.push(...members.map((each) => each['@id']))
  }
  return products
}
