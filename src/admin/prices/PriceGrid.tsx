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
import { interfaceLocale } from '../core/language.ts'
import { hasScope } from '../core/session.ts'
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

/** A cell by its row and column. */
type Place = { readonly row: number; readonly column: number }

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
  const locale = interfaceLocale()
  const [language = 'en'] = useLocaleState()
  const notify = useNotify()
  const isAllowed = hasScope('sale_offers:write')
  const client = useQueryClient()
  const table = useRef<HTMLTableElement>(null)
  const [added, setAdded] = useState<readonly Column[]>([])
  const [edits, setEdits] = useState<Edits>(new Map())
  const [history, setHistory] = useState<readonly Edits[]>([])
  /** Two corners of the selected rectangle. */
  const [range, setRange] = useState<readonly [Place, Place] | null>(null)
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
  const changes = new Map(
    (['created', 'changed', 'removed'] as const).flatMap((kind) =>
      plan[kind].map(({ key }) => [key, kind] as const),
    ),
  )
  const count = changes.size
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
    if (!isAllowed) return
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
  /** The keys of a rectangle, row by row. */
  const keysIn = ([a, b]: readonly [Place, Place]) => {
    const [top, left] = [Math.min(a.row, b.row), Math.min(a.column, b.column)]
    const places = columns.slice(left, Math.max(a.column, b.column) + 1)
    return rows
      .slice(top, Math.max(a.row, b.row) + 1)
      .map((variant) => places.map((place) => cellKey(variant['@id'], place)))
  }
  const selected = range ? keysIn(range) : []
  const selectedKeys = new Set(selected.flat())
  const extend = (from: Place, down: number, right: number) => {
    const [first, end] = range ?? [from, from]
    const row = Math.min(Math.max(end.row + down, 0), rows.length - 1)
    const column = Math.min(Math.max(end.column + right, 0), columns.length - 1)
    setRange([first, { row, column }])
  }
  /** Fills the selected rows, or all rows below a cell. */
  const fillDown = ({ row, column }: Place) => {
    const last = { row: rows.length - 1, column }
    const [top = [], ...others] = selected.length > 1 ? selected : keysIn([{ row, column }, last])
    const texts = others.flatMap((keys) => keys.map((key, at) => [key, shownIn(top[at] ?? key)] as const))
    write(new Map(texts))
  }
  const undo = () => {
    setEdits(history.at(-1) ?? edits)
    setHistory(history.slice(0, -1))
    return history.length > 0
  }
  const last = useRef<Place>({ row: 0, column: 0 })
  const move = (at: Place, move: GridMove) => {
    if (move.kind === 'extend') extend(at, move.down, move.right)
    else if (move.kind === 'undo') return undo()
    else if (move.kind === 'fill') fillDown(at)
    else if (move.kind === 'empty') {
      if (selectedKeys.size < 2) return false
      write(new Map([...selectedKeys].map((key) => [key, ''])))
    } else if (move.kind === 'go') return focus(at.row + move.down, at.column + move.right)
    else {
      setRange(null)
      if (move.kind === 'type') write(new Map([[move.key, move.text]]))
      else if (move.kind === 'paste') paste(at.row, at.column, move.block)
      else last.current = at
    }
    return true
  }
  const latest = useRef(move)
  latest.current = move
  // One function for all cells, which stays the same, so that typing in one draws that one alone.
  const act = useCallback(
    (row: number, column: number, move: GridMove) => latest.current({ row, column }, move),
    [],
  )

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
              onClick={() => fillDown(last.current)}
            >
              {words.fillDown}
            </Button>
          </span>
        </Tooltip>
        <Button startIcon={<UndoIcon />} disabled={history.length === 0} onClick={undo}>
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
        <Table
          ref={table}
          size="small"
          stickyHeader
          aria-label={words.title}
          sx={{ width: 'auto' }}
          onCopy={(event) => {
            if (selectedKeys.size < 2) return
            event.preventDefault()
            const lines = selected.map((keys) => keys.map(shownIn).join('\t'))
            event.clipboardData.setData('text/plain', lines.join('\n'))
          }}
        >
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
                      isChanged={changes.get(key)}
                      isSelected={selectedKeys.size > 1 && selectedKeys.has(key)}
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
          {selectedKeys.size > 1 && `${words.range(selected.length, selected[0]?.length ?? 0)} `}
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
