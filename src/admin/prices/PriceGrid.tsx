import KeyboardArrowDownIcon from '@mui/icons-material/KeyboardArrowDown'
import RedoIcon from '@mui/icons-material/Redo'
import UndoIcon from '@mui/icons-material/Undo'
import {
  Box,
  Button,
  Checkbox,
  FormControlLabel,
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
import { Fragment, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocaleState, useNotify, useStore } from 'react-admin'
import { decimalText } from '../core/decimal-text.ts'
import type { Draft, Edit } from '../core/drafts.ts'
import { interfaceLocale } from '../core/language.ts'
import { hasScope } from '../core/session.ts'
import { money } from '../fields/Money.tsx'
import { readable } from '../fields/readable.ts'
import { ChangeCells } from '../grid/ChangeCells.tsx'
import { ColumnsMenu } from '../grid/ColumnsMenu.tsx'
import { changedText, type TextChange } from '../grid/change-text.ts'
import { type BySku, bySku, cellCount, mostCells } from '../grid/clipboard.ts'
import {
  columnName,
  type GridColumn,
  hiddenAtFirst,
  isPrice,
  keyIn,
  keyOfColumn,
  placesOf,
  propertyColumns,
  propertyName,
  rowsBySku,
  uniqueColumns,
} from '../grid/columns.ts'
import { useEdits } from '../grid/history.ts'
import { PasteReport } from '../grid/PasteReport.tsx'
import { type GridRow, iriOf, patchesOf, properties, propertyText } from '../grid/properties.ts'
import { rowHeight, useRowsInView } from '../grid/rows-in-view.ts'
import { SaveBar } from '../grid/SaveBar.tsx'
import { type SaveOutcome, useSaving } from '../grid/saving.ts'
import { useGridWords } from '../grid/words.ts'
import { writesOf } from '../grid/writes.ts'
import { DraftOffer } from '../layout/DraftOffer.tsx'
import { useDraft } from '../layout/draft.ts'
import { useUnsaved } from '../layout/unsaved.ts'
import { ColumnForm } from './ColumnForm.tsx'
import { GridCell, type GridMove } from './GridCell.tsx'
import {
  bare,
  type Cell,
  type Column,
  cellsOf,
  columnsOf,
  type Edits,
  inheritedOffer,
  overtaken,
  pasted,
  planOf,
} from './grid.ts'
import type { SaleOffer } from './offer.ts'

/** The rows of a grid with their offers. */
export type GridData = { readonly rows: readonly GridRow[]; readonly offers: readonly SaleOffer[] }

/** A cell by its row and column. */
type Place = { readonly row: number; readonly column: number }

/** Rows that are drawn at first; a thousand rows of inputs take seconds. */
const drawn = 200

/** Cells that are typed into, pasted into and saved together. With properties, all rows have the same height, and few are drawn. */
export function PriceGrid({
  rows: all,
  offers,
  columns: usual,
  hasProperties = false,
  read,
}: GridData & {
  columns: readonly Column[]
  hasProperties?: boolean
  /** Reads products again, with all that the grid shows of them. */
  read: (products: ReadonlySet<string>) => Promise<GridData>
}) {
  const words = useGridWords()
  const locale = interfaceLocale()
  const [language = 'en'] = useLocaleState()
  const notify = useNotify()
  const mayWrite = (column: GridColumn) => hasScope(isPrice(column) ? 'sale_offers:write' : 'products:write')
  const isAllowed = hasScope('sale_offers:write') || (hasProperties && hasScope('products:write'))
  const client = useQueryClient()
  const box = useRef<HTMLDivElement>(null)
  const [added, setAdded] = useState<readonly Column[]>([])
  const { edits, ...steps } = useEdits()
  /** Two corners of the selected rectangle. */
  const [range, setRange] = useState<readonly [Place, Place] | null>(null)
  const [search, setSearch] = useState('')
  const [most, setMost] = useState(drawn)
  const [hidden, setHidden] = useStore<readonly string[]>('grid.hidden', hiddenAtFirst)
  const [isEditedOnly, setEditedOnly] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const [report, setReport] = useState<(BySku & { readonly column: number }) | null>(null)
  const [tooMany, setTooMany] = useState<number | null>(null)

  const draft = useDraft()
  const { left, keep } = draft
  const leftColumns = useMemo(() => columnsIn(left), [left])

  const cells = useMemo(() => cellsOf(offers), [offers])
  const offersByVariant = useMemo(() => Map.groupBy(offers, ({ variant }) => variant), [offers])
  const [now] = useState(() => new Date().toISOString())
  const prices = useMemo(
    () => uniqueColumns([...usual, ...columnsOf(offers), ...added, ...leftColumns]),
    [usual, offers, added, leftColumns],
  )
  const possible = useMemo<readonly GridColumn[]>(
    () => [...(hasProperties ? propertyColumns : []), ...prices],
    [hasProperties, prices],
  )
  const columns = hasProperties ? possible.filter((each) => !hidden.includes(keyOfColumn(each))) : possible
  const [pricePlaces, propertyPlaces] = useMemo(() => placesOf(all, possible), [all, possible])
  const rowOf = (key: string) => pricePlaces.get(key)?.row ?? propertyPlaces.get(key)?.row
  const plan = planOf(edits, cells, pricePlaces, locale)
  const { patches, mistakes: textMistakes } = patchesOf(edits, propertyPlaces, locale)
  const mistakes = new Map([...plan.mistakes, ...textMistakes])
  const changes = new Map([
    ...(['created', 'changed', 'removed'] as const).flatMap((kind) =>
      plan[kind].map(({ key }) => [key, kind] as const),
    ),
    ...patches.flatMap(({ keys }) => keys.map((key) => [key, 'changed'] as const)),
  ])
  const count = changes.size
  const found = useMemo(() => {
    const text = search.trim().toLowerCase()
    const isEdited = (row: GridRow) => possible.some((column) => edits.has(keyIn(row, column)))
    return all
      .filter(({ name, variant }) => `${name} ${variant.sku ?? ''}`.toLowerCase().includes(text))
      .filter((row) => !isEditedOnly || isEdited(row))
  }, [all, search, isEditedOnly, possible, edits])
  const rows = hasProperties ? found : found.slice(0, most)

  const [active, setActive] = useState(0)
  const view = useRowsInView(box, rows.length, active)
  const shown = hasProperties ? view.rows : [...rows.keys()]

  const drop = () => {
    steps.keepOnly(() => false)
    saving.clear()
    keep([])
  }
  const isUnsaved = count > 0 || mistakes.size > 0
  useUnsaved(isUnsaved, drop)
  const storedText = useCallback(
    (key: string) => {
      const place = propertyPlaces.get(key)
      if (!place) return textOf(cells.get(key), locale)
      return propertyText(place.row[properties[place.property]], place.property, locale)
    },
    [cells, propertyPlaces, locale],
  )
  useEffect(
    () => keep(isUnsaved ? draftEdits(edits, added, storedText) : []),
    [isUnsaved, edits, added, storedText, keep],
  )
  const placeName = (key: string) => {
    const [price, place] = [pricePlaces.get(key), propertyPlaces.get(key)]
    const column = price?.column ?? place
    return column ? words.cell(rowOf(key)?.name ?? '', columnName(column)) : key
  }

  const readAgain = async (keys: Iterable<string>) =>
    read(new Set([...keys].map((key) => iriOf(rowOf(key)?.product ?? {}))))
  const saving = useSaving({
    edits,
    writes: writesOf(plan, patches),
    /** The cells whose stored value another user has changed. */
    lostIn: async (keys) => {
      const fresh = await readAgain(keys)
      const freshCells = cellsOf(fresh.offers)
      const [, places] = placesOf(fresh.rows, possible)
      const lostTexts = [...keys].filter((key) => {
        const place = places.get(key)
        return (
          place &&
          propertyText(place.row[properties[place.property]], place.property, locale) !== storedText(key)
        )
      })
      const ofPrices = [...keys].filter((key) => pricePlaces.has(key))
      const versions = new Map(
        fresh.rows.flatMap(({ product, variant }) =>
          [product, variant].map((each) => [iriOf(each), Number(each.version)] as const),
        ),
      )
      return { lost: [...overtaken(ofPrices, cells, freshCells), ...lostTexts], versions }
    },
    onSaved: async ({ keys, refusals, edits: sent }: SaveOutcome) => {
      await readAgain(keys)
      await client.invalidateQueries({ refetchType: 'none' })
      // Other texts were typed in the meantime.
      steps.keepOnly((key, text) => refusals.has(key) || text !== sent.get(key))
      if (refusals.size === 0) notify(hasProperties ? words.savedAll : words.saved, { type: 'success' })
    },
    onReverted: async (keys) => {
      await readAgain(keys)
      await client.invalidateQueries({ refetchType: 'none' })
    },
  })

  /** Writes several cells as one step, which Undo reverts. */
  const write = (all: ReadonlyMap<string, string>) => {
    const texts = new Map(
      [...all].filter(([key]) => {
        const column = pricePlaces.get(key)?.column ?? propertyPlaces.get(key)
        return column && mayWrite(column)
      }),
    )
    if (texts.size === 0) return
    steps.add(texts)
    saving.forget(new Set(texts.keys()))
    setTooMany(null)
  }
  const restore = (texts: readonly Edit[]) => {
    write(
      new Map(
        texts.filter(({ path }) => path !== columnsPath).map(({ path, after }) => [path, String(after)]),
      ),
    )
    setAdded(uniqueColumns([...added, ...leftColumns]))
  }
  const shownIn = (key: string) => edits.get(key) ?? storedText(key)
  // Ctrl+V then pastes without a click.
  const firstPlace = { row: 0, column: Math.max(columns.findIndex(isPrice), 0) }
  /** A cell that gets the focus once its row is drawn. */
  const waiting = useRef<Place | null>(hasProperties ? firstPlace : null)
  const focusNow = ({ row, column }: Place) => {
    const input = box.current?.querySelector<HTMLInputElement>(`[data-row="${row}"][data-column="${column}"]`)
    input?.focus({ preventScroll: hasProperties })
    input?.select()
    return input !== null && input !== undefined
  }
  const focus = (row: number, column: number) => {
    if (row < 0 || row >= rows.length || column < 0 || column >= columns.length) return false
    if (hasProperties) view.reveal(row)
    if (!focusNow({ row, column })) waiting.current = { row, column }
    return true
  }
  useEffect(() => {
    if (waiting.current && focusNow(waiting.current)) waiting.current = null
  })
  const keyAt = (row: number, column: number) => {
    const [own, place] = [rows[row], columns[column]]
    return own && place ? keyIn(own, place) : null
  }
  /** A pasted text in the form in which the column is typed. */
  const typedIn = (column: number, text: string) => {
    const place = columns[column]
    return place && isPrice(place) ? bare(text) : text
  }
  const paste = (row: number, column: number, text: string) => {
    const cellsInText = cellCount(text)
    if (cellsInText > mostCells) return setTooMany(cellsInText)
    const block = pasted(text)
    const target = columns[column]
    const bySkus = bySku(block, rowsBySku(all), { isPrice: target !== undefined && isPrice(target), locale })
    if (bySkus) {
      const isComplete = bySkus.unknown.length === 0 && bySkus.duplicate.length === 0
      if (isComplete) pasteBySku(bySkus, column)
      else setReport({ ...bySkus, column })
      return
    }
    const texts = new Map<string, string>()
    for (const [down, line] of block.entries()) {
      for (const [right, each] of line.entries()) {
        const key = keyAt(row + down, column + right)
        if (key !== null) texts.set(key, typedIn(column + right, each))
      }
    }
    write(texts)
  }
  const pasteBySku = ({ lines }: BySku, column: number) => {
    setReport(null)
    const texts = lines.flatMap(({ row, texts }) =>
      texts.flatMap((text, right) => {
        const [own, place] = [all[row], columns[column + right]]
        return own && place ? [[keyIn(own, place), typedIn(column + right, text)] as const] : []
      }),
    )
    write(new Map(texts))
  }
  /** The keys of a rectangle, row by row. */
  const keysIn = ([a, b]: readonly [Place, Place]) => {
    const [top, left] = [Math.min(a.row, b.row), Math.min(a.column, b.column)]
    const places = columns.slice(left, Math.max(a.column, b.column) + 1)
    return rows.slice(top, Math.max(a.row, b.row) + 1).map((row) => places.map((place) => keyIn(row, place)))
  }
  const selected = range ? keysIn(range) : []
  const selectedKeys = new Set(selected.flat())
  const extend = (from: Place, down: number, right: number) => {
    const [first, end] = range ?? [from, from]
    const row = Math.min(Math.max(end.row + down, 0), rows.length - 1)
    const column = Math.min(Math.max(end.column + right, 0), columns.length - 1)
    setRange([first, { row, column }])
    if (hasProperties) view.reveal(row)
  }
  /** Fills the selected rows, or all rows below a cell. */
  const fillDown = ({ row, column }: Place) => {
    const last = { row: rows.length - 1, column }
    const [top = [], ...others] = selected.length > 1 ? selected : keysIn([{ row, column }, last])
    const texts = others.flatMap((keys) => keys.map((key, at) => [key, shownIn(top[at] ?? key)] as const))
    write(new Map(texts))
  }
  const last = useRef<Place>({ row: 0, column: 0 })
  /** The cells that a change applies to: those of the selection, else those of the column. */
  const targets = () => {
    const { column } = last.current
    return selectedKeys.size > 1
      ? [...selectedKeys]
      : keysIn([
          { row: 0, column },
          { row: rows.length - 1, column },
        ]).flat()
  }
  const change = (change: TextChange) => {
    const texts = targets().flatMap((key) => {
      const before = shownIn(key)
      const after = changedText(before, change, pricePlaces.get(key)?.column.currency ?? null, locale)
      return after === before ? [] : [[key, after] as const]
    })
    write(new Map(texts))
  }
  const move = (at: Place, move: GridMove) => {
    if (move.kind === 'extend') extend(at, move.down, move.right)
    else if (move.kind === 'undo') return steps.undo()
    else if (move.kind === 'redo') return steps.redo()
    else if (move.kind === 'fill') fillDown(at)
    else if (move.kind === 'restore') write(new Map([[move.key, storedText(move.key)]]))
    else if (move.kind === 'empty') {
      if (selectedKeys.size < 2) return false
      write(new Map([...selectedKeys].map((key) => [key, ''])))
    } else if (move.kind === 'go') return focus(at.row + move.down, at.column + move.right)
    else {
      setRange(null)
      if (move.kind === 'type') write(new Map([[move.key, move.text]]))
      else if (move.kind === 'paste') paste(at.row, at.column, move.text)
      else {
        last.current = at
        setActive(at.row)
      }
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
  const inheritedIn = (row: GridRow, column: Column) => {
    const offer = inheritedOffer(offersByVariant.get(iriOf(row.variant)) ?? [], column, now)
    return offer && decimalText(offer.amount, locale)
  }
  const gap = (rowsBefore: number) =>
    rowsBefore > 0 && (
      <tr aria-hidden>
        <td colSpan={columns.length + 1} style={{ height: rowsBefore * rowHeight, padding: 0 }} />
      </tr>
    )

  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        saving.steps.save()
      }}
    >
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1.5, maxWidth: 760 }}>
        {isAllowed
          ? words.intro(new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale)
          : words.refused}
        {hasProperties && ` ${words.introBySku}`}
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
        {hasProperties && (
          <FormControlLabel
            label={words.editedOnly}
            control={
              <Checkbox checked={isEditedOnly} onChange={(_, isChecked) => setEditedOnly(isChecked)} />
            }
          />
        )}
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
        <Button disabled={!isAllowed} onClick={() => setChanging(true)}>
          {words.change}
        </Button>
        <Button startIcon={<UndoIcon />} disabled={!steps.canUndo} onClick={steps.undo}>
          {words.undo}
        </Button>
        <Button startIcon={<RedoIcon />} disabled={!steps.canRedo} onClick={steps.redo}>
          {words.redo}
        </Button>
        {hasProperties && (
          <ColumnsMenu
            columns={possible.map((each) => [keyOfColumn(each), columnName(each)])}
            hidden={hidden}
            onHide={setHidden}
          />
        )}
        <ColumnForm taken={prices} onAdd={(column) => setAdded([...added, column])} />
      </Box>
      {left && (
        <DraftOffer
          draft={draft}
          edits={left.edits.filter(({ path }) => path !== columnsPath).slice(0, mostShownEdits)}
          nameOf={placeName}
          textOf={readable}
          storedAt={storedText}
          onRestore={() => restore(left.edits)}
        />
      )}
      {isChanging && (
        <ChangeCells count={targets().length} onApply={change} onClose={() => setChanging(false)} />
      )}
      {(report || tooMany !== null) && (
        <PasteReport
          report={report}
          tooMany={tooMany}
          onPaste={() => report && pasteBySku(report, report.column)}
          onClose={() => {
            setReport(null)
            setTooMany(null)
          }}
        />
      )}
      {rows.length === 0 && <Typography sx={{ py: 2 }}>{words.noneFound}</Typography>}
      <Paper
        ref={box}
        variant="outlined"
        onScroll={hasProperties ? view.look : undefined}
        sx={{
          overflowX: 'auto',
          maxHeight: '70vh',
          width: 'fit-content',
          maxWidth: '100%',
          ...(hasProperties && { overflowY: 'auto', overflowAnchor: 'none' }),
        }}
      >
        <Table
          size="small"
          stickyHeader
          aria-label={words.title}
          aria-rowcount={rows.length + 1}
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
                <TableCell key={keyOfColumn(column)} sx={{ lineHeight: 1.35, minWidth: 150 }}>
                  <ColumnHead column={column} />
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {shown.map((row, nth) => {
              const own = rows[row]
              if (!own) return null
              return (
                <Fragment key={iriOf(own.variant)}>
                  {gap(row - (shown[nth - 1] ?? -1) - 1)}
                  <TableRow aria-rowindex={row + 2} sx={hasProperties ? { height: rowHeight } : {}}>
                    <TableCell
                      component="th"
                      scope="row"
                      title={own.name}
                      sx={{
                        fontWeight: 600,
                        verticalAlign: 'top',
                        '&&': { pt: 1.75, pl: 2 },
                        ...(hasProperties && compactName),
                      }}
                    >
                      {own.name}
                    </TableCell>
                    {columns.map((column, at) => {
                      const key = keyIn(own, column)
                      const currency = isPrice(column) ? column.currency : null
                      const standing = cells.get(key)?.standing
                      return (
                        <GridCell
                          key={key}
                          at={key}
                          row={row}
                          column={at}
                          label={words.cell(own.name, columnName(column))}
                          currency={currency}
                          cell={cells.get(key)}
                          was={standing ? money(standing.amount, standing.currency) : storedText(key)}
                          inherited={isPrice(column) ? inheritedIn(own, column) : undefined}
                          text={shownIn(key)}
                          isChanged={changes.get(key)}
                          isCompact={hasProperties}
                          isSelected={selectedKeys.size > 1 && selectedKeys.has(key)}
                          mistake={mistakes.get(key)}
                          refusal={saving.refusals.get(key)}
                          isAllowed={mayWrite(column)}
                          act={act}
                        />
                      )
                    })}
                  </TableRow>
                </Fragment>
              )
            })}
            {hasProperties && gap(rows.length - 1 - (shown.at(-1) ?? rows.length - 1))}
          </TableBody>
        </Table>
      </Paper>
      {found.length > rows.length && (
        <Button onClick={() => setMost(most + drawn)}>{words.more(found.length - rows.length)}</Button>
      )}
      <SaveBar
        saving={saving}
        label={hasProperties ? words.saveAll : words.save}
        canSave={count > 0 && mistakes.size === 0 && isAllowed}
        canDrop={edits.size > 0}
        onDrop={drop}
      >
        {selectedKeys.size > 1 && `${words.range(selected.length, selected[0]?.length ?? 0)} `}
        {mistakes.size > 0
          ? words.mistaken(mistakes.size)
          : count === 0
            ? words.nothing
            : [
                words.summary(plan.created.length, plan.changed.length, plan.removed.length),
                ...(patches.length > 0 ? [words.documents(patches.length)] : []),
              ]
                .filter(Boolean)
                .join(', ')}
      </SaveBar>
    </Box>
  )
}

/** Edits of a draft that are listed. */
const mostShownEdits = 100

const compactName = {
  width: 220,
  maxWidth: 220,
  minWidth: { xs: 110, sm: 220 },
  whiteSpace: 'nowrap',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
}

function ColumnHead({ column }: { column: GridColumn }) {
  const words = useGridWords()
  if (!isPrice(column)) return <strong>{propertyName(column.property)}</strong>
  return (
    <>
      <strong>{column.channel ?? words.everyChannel}</strong> · {column.currency}
      <Box sx={{ fontWeight: 400, opacity: 0.75 }}>{column.countries.join(' ') || words.everyCountry}</Box>
    </>
  )
}

const columnsPath = 'columns'

/** The edits of a draft: the texts of cells, and the columns that were added for them. */
function draftEdits(edits: Edits, added: readonly Column[], storedText: (key: string) => string): Edit[] {
  const texts = [...edits].map(([path, after]) => ({ path, before: storedText(path), after }))
  return [...texts, { path: columnsPath, before: null, after: added }]
}

function columnsIn(draft: Draft | null): readonly Column[] {
  const columns = draft?.edits.find(({ path }) => path === columnsPath)?.after
  return (columns ?? []) as unknown as readonly Column[]
}

/** The amount of a cell, in the form in which users type it. */
function textOf(cell: Cell | undefined, locale: string): string {
  const standing = cell?.standing
  return standing ? decimalText(standing.amount, locale) : ''
}
