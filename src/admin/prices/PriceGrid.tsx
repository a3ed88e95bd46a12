import KeyboardArrowDownIcon from '@mui/icons-material/KeyboardArrowDown'
import UndoIcon from '@mui/icons-material/Undo'
import {
  Box,
  Button,
  Paper,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  TextField,
  Tooltip,
  Typography,
} from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocaleState, useNotify } from 'react-admin'
import { decimalText } from '../core/decimal-text.ts'
import type { Draft, Edit } from '../core/drafts.ts'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { currentLocale } from '../core/settings.ts'
import { inFlow } from '../core/theme.ts'
import { readable } from '../fields/readable.ts'
import { variantName } from '../fields/Title.tsx'
import { DraftOffer } from '../layout/DraftOffer.tsx'
import { useDraft } from '../layout/draft.ts'
import { Problem } from '../layout/Problem.tsx'
import { useUnsaved } from '../layout/unsaved.ts'
import type { Messages } from '../messages/en.ts'
import { ColumnForm } from './ColumnForm.tsx'
import { GridCell, type GridMove } from './GridCell.tsx'
import {
  bare,
  type Cell,
  type Column,
  cellKey,
  cellsOf,
  columnKey,
  columnsOf,
  type Edits,
  overtaken,
  planOf,
} from './grid.ts'
import type { SaleOffer } from './offer.ts'
import { changeAll, createAll, type Refusal } from './save.ts'
import type { Variant } from './variants.tsx'

/** Rows that are drawn at first; a thousand rows of inputs take seconds. */
const drawn = 200

export function PriceGrid({
  variants,
  offers,
  columns: usual,
  read,
}: {
  variants: readonly Variant[]
  offers: readonly SaleOffer[]
  columns: readonly Column[]
  /** Reads the offers again. */
  read: () => Promise<readonly SaleOffer[]>
}) {
  const words = useWords('grid')
  const locale = currentLocale()
  const [language = 'en'] = useLocaleState()
  const notify = useNotify()
  const client = useQueryClient()
  const table = useRef<HTMLTableElement>(null)
  const [added, setAdded] = useState<readonly Column[]>([])
  const [edits, setEdits] = useState<Edits>(new Map())
  const [history, setHistory] = useState<readonly Edits[]>([])
  const [refusals, setRefusals] = useState<ReadonlyMap<string, Refusal>>(new Map())
  const [problem, setProblem] = useState<Error | null>(null)
  const [isSaving, setSaving] = useState(false)
  const [search, setSearch] = useState('')
  const [most, setMost] = useState(drawn)

  const draft = useDraft()
  const { left, keep } = draft
  const leftColumns = useMemo(() => columnsIn(left), [left])

  const cells = useMemo(() => cellsOf(offers), [offers])
  const columns = useMemo(
    () => unique([...usual, ...columnsOf(offers), ...added, ...leftColumns]),
    [usual, offers, added, leftColumns],
  )
  const places = useMemo(() => {
    const all = variants.flatMap((variant) =>
      columns.map(
        (column) => [cellKey(variant['@id'], column), { variant: variant['@id'], column }] as const,
      ),
    )
    return new Map(all)
  }, [variants, columns])
  const plan = planOf(edits, cells, places, locale)
  const count = plan.created.length + plan.changed.length + plan.removed.length
  const found = variants.filter((each) =>
    `${variantName(each)} ${each.sku ?? ''}`.toLowerCase().includes(search.trim().toLowerCase()),
  )
  const rows = found.slice(0, most)

  const drop = () => {
    setEdits(new Map())
    setHistory([])
    setRefusals(new Map())
    setProblem(null)
    keep([])
  }
  const isUnsaved = count > 0 || plan.mistakes.size > 0
  useUnsaved(isUnsaved, drop)
  useEffect(
    () => keep(isUnsaved ? draftEdits(edits, added, cells, locale) : []),
    [isUnsaved, edits, added, cells, locale, keep],
  )
  const restore = (texts: readonly Edit[]) => {
    write(new Map(texts.map(({ path, after }) => [path, String(after)])))
    setAdded(unique([...added, ...leftColumns]))
  }
  const placeName = (key: string) => {
    const place = places.get(key)
    const variant = variants.find((each) => each['@id'] === place?.variant)
    return place ? words.cell(variantName(variant), columnText(place.column, words)) : key
  }

  /** Writes several cells as one step, which Undo reverts. */
  const write = (texts: ReadonlyMap<string, string>) => {
    setHistory([...history.slice(-50), edits])
    setEdits(new Map([...edits, ...texts]))
    setRefusals(new Map([...refusals].filter(([key]) => !texts.has(key))))
  }
  const shownIn = (key: string) => edits.get(key) ?? textOf(cells.get(key), locale)
  const focus = (row: number, column: number) => {
    const input = table.current?.querySelector<HTMLInputElement>(
      `[data-row="${row}"][data-column="${column}"]`,
    )
    input?.focus()
    input?.select()
    return input !== null && input !== undefined
  }
  const keyAt = (row: number, column: number) => {
    const [variant, place] = [rows[row], columns[column]]
    return variant && place ? cellKey(variant['@id'], place) : null
  }
  const paste = (row: number, column: number, block: readonly (readonly string[])[]) => {
    const texts = new Map<string, string>()
    for (const [down, line] of block.entries()) {
      for (const [right, text] of line.entries()) {
        const key = keyAt(row + down, column + right)
        if (key !== null) texts.set(key, bare(text))
      }
    }
    write(texts)
  }
  const fillDown = (row: number, column: number) => {
    const key = keyAt(row, column)
    if (key === null) return
    const below = rows.slice(row + 1).flatMap((_, at) => keyAt(row + 1 + at, column) ?? [])
    write(new Map(below.map((each) => [each, shownIn(key)])))
  }
  const last = useRef({ row: 0, column: 0 })
  const acts = { write, focus, paste, fillDown }
  const latest = useRef(acts)
  latest.current = acts
  // One function for all cells, which stays the same, so that typing in one draws that one alone.
  const act = useCallback((row: number, column: number, move: GridMove) => {
    const { write, focus, paste, fillDown } = latest.current
    if (move.kind === 'type') write(new Map([[move.key, move.text]]))
    else if (move.kind === 'go') return focus(row + move.down, column + move.right)
    else if (move.kind === 'paste') paste(row, column, move.block)
    else if (move.kind === 'fill') fillDown(row, column)
    else last.current = { row, column }
    return true
  }, [])

  const save = async () => {
    setSaving(true)
    setProblem(null)
    try {
      const fresh = cellsOf(await read())
      const keys = [...plan.created, ...plan.changed, ...plan.removed].map(({ key }) => key)
      const lost = overtaken(keys, cells, fresh)
      if (lost.length > 0) {
        setRefusals(new Map(lost.map((key) => [key, { message: '', isOvertaken: true }])))
        setProblem(new Error(words.overtakenAll(lost.length)))
        return
      }
      const writes = [
        ...plan.changed.map(({ key, offer, amount }) => ({ key, offer, patch: { amount } })),
        ...plan.removed.map(({ key, offer }) => ({ key, offer, patch: null })),
      ]
      const refused = new Map<string, Refusal>()
      const made = await createAll(
        plan.created.map(({ body }) => body),
        words.sameRequest,
      )
      for (const [at, refusal] of made) refused.set(plan.created[at]?.key ?? '', refusal)
      const changed = await changeAll(
        writes.map(({ offer, patch }) => ({ iri: offer['@id'], version: offer.version, patch })),
      )
      for (const [at, refusal] of changed) refused.set(writes[at]?.key ?? '', refusal)
      await read()
      await client.invalidateQueries({ refetchType: 'none' })
      setEdits(new Map([...edits].filter(([key]) => refused.has(key))))
      setHistory([])
      setRefusals(refused)
      if (refused.size > 0) setProblem(new Error(words.partly(refused.size)))
      else notify(words.saved, { type: 'success' })
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setSaving(false)
    }
  }

  const isAllowed = hasScope('sale_offers:write')
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5, maxWidth: 760 }}>
        {isAllowed
          ? words.intro(new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale)
          : words.refused}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', mb: 1.5, alignItems: 'flex-start' }}>
        <TextField
          type="search"
          size="small"
          label={words.find}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <Tooltip title={words.fillDownHint}>
          <span>
            <Button
              startIcon={<KeyboardArrowDownIcon />}
              disabled={!isAllowed}
              onClick={() => fillDown(last.current.row, last.current.column)}
            >
              {words.fillDown}
            </Button>
          </span>
        </Tooltip>
        <Button
          startIcon={<UndoIcon />}
          disabled={history.length === 0}
          onClick={() => {
            setEdits(history.at(-1) ?? new Map())
            setHistory(history.slice(0, -1))
          }}
        >
          {words.undo}
        </Button>
        <ColumnForm taken={columns} onAdd={(column) => setAdded([...added, column])} />
      </Box>
      {left && (
        <DraftOffer
          draft={draft}
          edits={left.edits.filter(({ path }) => path !== columnsPath)}
          nameOf={placeName}
          textOf={readable}
          storedAt={(key) => textOf(cells.get(key), locale)}
          onRestore={restore}
        />
      )}
      {rows.length === 0 && <Typography sx={{ py: 2 }}>{words.noneFound}</Typography>}
      <Paper
        variant="outlined"
        sx={{ overflowX: 'auto', maxHeight: '70vh', width: 'fit-content', maxWidth: '100%' }}
      >
        <Table ref={table} size="small" stickyHeader aria-label={words.title} sx={{ width: 'auto' }}>
          <TableHead>
            <TableRow>
              <TableCell sx={{ minWidth: 110, '&&': { pl: 2 } }}>{words.variant}</TableCell>
              {columns.map((column) => (
                <TableCell key={columnKey(column)} sx={{ lineHeight: 1.35, minWidth: 150 }}>
                  <strong>{column.channel ?? words.everyChannel}</strong> · {column.currency}
                  <Box sx={{ fontWeight: 400, opacity: 0.75 }}>
                    {column.countries.join(' ') || words.everyCountry}
                  </Box>
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {rows.map((variant, row) => (
              <TableRow key={variant['@id']}>
                <TableCell
                  component="th"
                  scope="row"
                  sx={{ fontWeight: 600, verticalAlign: 'top', '&&': { pt: 1.75, pl: 2 } }}
                >
                  {variantName(variant)}
                </TableCell>
                {columns.map((column, at) => {
                  const key = cellKey(variant['@id'], column)
                  return (
                    <GridCell
                      key={key}
                      at={key}
                      row={row}
                      column={at}
                      label={words.cell(variantName(variant), columnText(column, words))}
                      currency={column.currency}
                      cell={cells.get(key)}
                      text={shownIn(key)}
                      isChanged={plannedOf(edits.get(key), column, cells.get(key), locale)}
                      mistake={plan.mistakes.get(key)}
                      refusal={refusals.get(key)}
                      isAllowed={isAllowed}
                      act={act}
                    />
                  )
                })}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Paper>
      {found.length > rows.length && (
        <Button onClick={() => setMost(most + drawn)}>{words.more(found.length - rows.length)}</Button>
      )}
      <Paper
        variant="outlined"
        square
        sx={{
          position: 'sticky',
          bottom: 0,
          zIndex: 3,
          mt: 1,
          p: 1,
          display: 'flex',
          gap: 1.5,
          flexWrap: 'wrap',
          alignItems: 'center',
          ...inFlow,
        }}
      >
        <Button
          type="submit"
          variant="contained"
          disabled={count === 0 || plan.mistakes.size > 0 || isSaving || !isAllowed}
        >
          {isSaving ? words.saving : words.save}
        </Button>
        <Button disabled={edits.size === 0 || isSaving} onClick={drop}>
          {words.drop}
        </Button>
        <Typography variant="body2" role="status">
          {plan.mistakes.size > 0
            ? words.mistaken(plan.mistakes.size)
            : count === 0
              ? words.nothing
              : words.summary(plan.created.length, plan.changed.length, plan.removed.length)}
        </Typography>
        {problem && (
          <Box sx={{ flexBasis: '100%' }}>
            <Problem error={problem} onRetry={save} />
          </Box>
        )}
      </Paper>
    </Box>
  )
}

const columnsPath = 'columns'

/** The edits of a draft: the texts of cells, and the columns that were added for them. */
function draftEdits(
  edits: Edits,
  added: readonly Column[],
  cells: ReadonlyMap<string, Cell>,
  locale: string,
): Edit[] {
  const texts = [...edits].map(([path, after]) => ({ path, before: textOf(cells.get(path), locale), after }))
  return [...texts, { path: columnsPath, before: null, after: added }]
}

function columnsIn(draft: Draft | null): readonly Column[] {
  const columns = draft?.edits.find(({ path }) => path === columnsPath)?.after
  return (columns ?? []) as unknown as readonly Column[]
}

function unique(columns: readonly Column[]): Column[] {
  return [...new Map(columns.map((each) => [columnKey(each), each])).values()]
}

function columnText({ channel, countries, currency }: Column, words: Messages['grid']): string {
  return [channel ?? words.everyChannel, countries.join(' ') || words.everyCountry, currency].join(', ')
}

/** The amount of a cell, in the form in which users type it. */
function textOf(cell: Cell | undefined, locale: string): string {
  const standing = cell?.standing
  return standing ? decimalText(standing.amount, locale) : ''
}

/** The amount of a cell after an edit: null to remove it; undefined if nothing changes. */
function plannedOf(
  text: string | undefined,
  column: Column,
  cell: Cell | undefined,
  locale: string,
): 'created' | 'changed' | 'removed' | undefined {
  if (text === undefined) return undefined
  const standing = cell?.standing ?? null
  const plan = planOf(
    new Map([['', text]]),
    new Map(cell ? [['', cell]] : []),
    new Map([['', { variant: '', column }]]),
    locale,
  )
  if (plan.created.length > 0) return 'created'
  if (plan.changed.length > 0) return 'changed'
  return plan.removed.length > 0 && standing ? 'removed' : undefined
}
