import {
  Alert,
  Box,
  Button,
  FormControl,
  FormControlLabel,
  FormLabel,
  LinearProgress,
  Radio,
  RadioGroup,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useListContext, useRefresh, useTranslate } from 'react-admin'
import { type Fields, same } from '../core/changed.ts'
import { decimalOf } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { forEach } from '../core/lanes.ts'
import { interfaceLocale, messages } from '../core/language.ts'
import { learnNames } from '../core/names.ts'
import { everyMember, everyPage } from '../core/pages.ts'
import { Choice } from '../fields/Choice.tsx'
import { readable, useReadable } from '../fields/readable.ts'
import { splitTexts } from '../fields/split-texts.ts'
import { DraftOffer } from '../layout/DraftOffer.tsx'
import { type DialogDraft, type PageDraft, useDialogEdits } from '../layout/draft.ts'
import { Modal } from '../layout/Modal.tsx'
import type { Messages } from '../messages/en.ts'
import { ChannelsInput } from '../prices/MarketInputs.tsx'
import { applyChange, type Kind, takeBack, type Undo } from './changes.ts'

/** The inputs of the dialog. */
type Typed = { readonly kind: Kind; readonly text: string; readonly all: boolean }

type Outcome = { readonly count: number; readonly refusals: readonly string[]; readonly isUndone?: boolean }

/** The products that the list had selected and the filter that it had, when the dialog was opened. */
type Target = { readonly selected: readonly string[]; readonly filter: Fields }

type Change = Target & Typed

const blank: Typed = { kind: 'status', text: 'ACTIVE', all: false }

/**
 * Changes the selected products, or all that the list finds, at once, and reverts the changes. While the dialog is closed, it
 * offers its draft.
 */
export function BulkActions({ dialog }: { dialog: DialogDraft }) {
  const words = useWords('bulk')
  const { tryAgain } = useWords('core')
  const { selectedIds = [], filterValues, total, onUnselectItems } = useListContext()
  const refresh = useRefresh()
  const [typed, setTyped] = useState(blank)
  const [restored, setRestored] = useState<Target | null>(null)
  const target = restored ?? { selected: selectedIds.map(String), filter: filterValues }
  const [progress, setProgress] = useState<{ through: number; of: number } | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  /** The writes that the person can undo. */
  const [writes, setWrites] = useState<readonly Undo[]>([])
  const stop = useRef(new AbortController())
  const percent = Number(decimalOf(typed.text, interfaceLocale()) ?? Number.NaN)
  const values = splitTexts(typed.text)
  const isComplete = typed.kind === 'prices' ? percent > -100 && percent <= 1000 : values.length > 0
  // A second percentage would be taken off prices that the first attempt has changed.
  const isRepeatable = typed.kind !== 'prices' || writes.length === 0
  const isOver = outcome !== null && (outcome.isUndone || outcome.refusals.length === 0)
  const isUnsaved = !same(typed, blank) && isRepeatable && !isOver
  useDialogEdits(
    dialog,
    isUnsaved ? [{ path: 'change', before: null, after: { ...target, ...typed } satisfies Change }] : [],
  )
  const through = async <Item,>(items: readonly Item[], act: (item: Item) => Promise<void>) => {
    setProgress({ through: 0, of: items.length })
    const { signal } = stop.current
    const refusals: string[] = []
    let count = 0
    await forEach(items, async (item) => {
      if (signal.aborted) return
      try {
        await act(item)
      } catch (error) {
        if (!signal.aborted) refusals.push((error as Error).message)
      }
      count += 1
      setProgress({ through: count, of: items.length })
    })
    setProgress(null)
    return refusals
  }
  const run = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const all = [...writes]
    const report = (write: Undo) => {
      all.push(write)
      setWrites([...all])
    }
    const isWritten = (iri: string) => writes.some((write) => write.iri === iri)
    const change = { kind: typed.kind, values, percent }
    let refusals = []
    try {
      const products = typed.all ? await found(target.filter, signal) : target.selected
      refusals = await through(products, (product) => applyChange(product, change, report, signal, isWritten))
    } catch (error) {
      refusals = [(error as Error).message]
    }
    setOutcome({ count: all.filter(({ isSure }) => isSure).length, refusals })
  }
  const undo = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    let count = 0
    const refusals = await through(writes, async (write) => {
      await takeBack(write, signal)
      count += 1
    })
    if (count === writes.length) setWrites([])
    setOutcome({ count, refusals, isUndone: true })
  }
  const close = () => {
    // The dialog stays open until the run has stopped, because it holds the undo.
    if (progress !== null) return stop.current.abort()
    stop.current.abort()
    if (outcome) {
      onUnselectItems()
      refresh()
      // The menu that opened this closes with the choice: the next one begins where rows are chosen.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('th input[type=checkbox]')?.focus())
    }
    dialog.close()
  }
  const mayRunAgain =
    outcome !== null &&
    !isOver &&
    // Offers that are written are left out of the next attempt.
    (typed.kind !== 'prices' || writes.every(({ isSure }) => isSure))
  const reasons = [...new Set(outcome?.refusals)].slice(0, 5)
  if (!dialog.isOpen) {
    const restore = ({ kind, text, all, selected, filter }: Change) => {
      setTyped({ kind, text, all })
      setRestored({ selected, filter })
      dialog.open()
    }
    return dialog.left && <ChangeOffer draft={dialog} onRestore={restore} />
  }
  return (
    <Modal
      onClose={close}
      title={words.title}
      actions={
        <>
          <Button onClick={close}>{progress ? words.stop : words.close}</Button>
          {outcome && writes.length > 0 && (
            <Button disabled={progress !== null} onClick={undo}>
              {words.undo}
            </Button>
          )}
          {(!outcome || mayRunAgain) && (
            <Button variant="contained" disabled={progress !== null || !isComplete} onClick={run}>
              {outcome ? tryAgain : words.run}
            </Button>
          )}
        </>
      }
    >
      {!outcome && (
        <Inputs
          typed={typed}
          onChange={setTyped}
          selected={target.selected.length}
          total={restored ? undefined : total}
        />
      )}
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
          {outcome.isUndone ? words.undone(outcome.count) : words.done(outcome.count)}
          {reasons.length > 0 && ` ${words.failed(outcome.refusals.length)} ${reasons.join(' ')}`}
        </Alert>
      )}
    </Modal>
  )
}

/** Offers a change that an earlier load of the page left behind. */
function ChangeOffer({ draft, onRestore }: { draft: PageDraft; onRestore: (change: Change) => void }) {
  const words = useWords('bulk')
  const textOf = useReadable()
  const change = draft.left?.edits[0]?.after as Change
  const { kind, text, all, selected, filter } = change
  const categories = useCategories(isCategory(kind))
  const category = categories.find(({ id }) => id === text)?.name
  const first = selected.slice(0, 20)
  const { isPending } = useQuery({
    queryKey: ['bulk names', first],
    queryFn: async () => {
      await learnNames(first)
      return true
    },
  })
  if (isPending) return null
  const names = readable(first) + (selected.length > first.length ? ', …' : '')
  const products = all ? [words.all(undefined), readable(filter)] : [words.selected(selected.length), names]
  const lines = {
    [words.which]: products.filter(Boolean).join(messages('fields').labelled('')),
    [words.what]: words.changes[kind],
    [inputLabel(kind, words)]: category ?? text,
  }
  return (
    // The toolbar of selected rows covers the space above the table.
    <Box sx={{ mb: 8 }}>
      <DraftOffer
        draft={draft}
        edits={Object.entries(lines).map(([path, after]) => ({ path, before: null, after }))}
        nameOf={(path) => path}
        textOf={textOf}
        storedAt={() => null}
        onRestore={() => onRestore(change)}
      />
    </Box>
  )
}

const isCategory = (kind: Kind) => kind === 'addCategories' || kind === 'removeCategories'
const isChannel = (kind: Kind) => kind === 'addChannels' || kind === 'removeChannels'

function inputLabel(kind: Kind, words: Messages['bulk']): string {
  if (kind === 'status') return words.status
  if (isCategory(kind)) return words.category
  if (isChannel(kind)) return words.channels
  return kind === 'prices' ? words.percent : words.values
}

function Inputs({
  typed,
  onChange,
  selected,
  total,
}: {
  typed: Typed
  onChange: (typed: Typed) => void
  selected: number
  total: number | undefined
}) {
  const words = useWords('bulk')
  const translate = useTranslate()
  const kinds = Object.entries(words.changes) as [Kind, string][]
  const standing = (kind: Kind) => (kind === 'status' ? 'ACTIVE' : '')
  const { kind } = typed
  const label = inputLabel(kind, words)
  const choices = useCategories(isCategory(kind))
  const set = (text: string) => onChange({ ...typed, text })
  return (
    <Stack spacing={2} sx={{ pt: 1 }}>
      <FormControl>
        <FormLabel id="which">{words.which}</FormLabel>
        <RadioGroup
          aria-labelledby="which"
          value={typed.all ? 'all' : 'selected'}
          onChange={(_, value) => onChange({ ...typed, all: value === 'all' })}
        >
          <FormControlLabel value="selected" control={<Radio />} label={words.selected(selected)} />
          <FormControlLabel value="all" control={<Radio />} label={words.all(total)} />
        </RadioGroup>
      </FormControl>
      <Choice
        label={words.what}
        value={kind}
        choices={kinds}
        onChoose={(next) => onChange({ ...typed, kind: next, text: standing(next) })}
      />
      {kind === 'status' && (
        <Choice
          label={label}
          value={typed.text}
          choices={['ACTIVE', 'DRAFT', 'ARCHIVED'].map(
            (each) => [each, translate(`status.${each}`)] as const,
          )}
          onChoose={set}
        />
      )}
      {isCategory(kind) && (
        <Choice
          label={label}
          value={typed.text}
          choices={choices.map(({ id, name }) => [id, name] as const)}
          onChoose={set}
        />
      )}
      {isChannel(kind) && (
        <ChannelsInput
          label={label}
          value={splitTexts(typed.text)}
          onChange={(channels) => set(channels.join(', '))}
        />
      )}
      {kind !== 'status' && !isCategory(kind) && !isChannel(kind) && (
        <TextField
          label={label}
          value={typed.text}
          onChange={({ target }) => set(target.value)}
          slotProps={{ htmlInput: { inputMode: kind === 'prices' ? 'decimal' : 'text' } }}
        />
      )}
      <Typography variant="body2">{kind === 'prices' ? words.pricesHint : words.ordinaryHint}</Typography>
    </Stack>
  )
}

type Category = { readonly '@id': string; readonly title: string }

function useCategories(enabled: boolean): { id: string; name: string }[] {
  const { data = [] } = useQuery({
    queryKey: ['categories', 'bulk'],
    enabled,
    queryFn: () => everyMember<Category>('/api/categories?itemsPerPage=100'),
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
