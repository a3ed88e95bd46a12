import {
  Box,
  Button,
  Checkbox,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { useLocaleState } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { money } from '../fields/Money.tsx'
import { variantName } from '../fields/Title.tsx'
import { type Cost, costAt } from '../prices/costs.ts'
import { marginOf } from '../prices/decimals.ts'
import type { Refusal } from '../prices/save.ts'
import { type Row, rowsOf, type Scope } from './plan.ts'
import type { Priced } from './read.ts'
import type { Reduction } from './reduction.ts'

/** A row of the sale with its title. */
export type Line = {
  readonly key: string
  readonly name: string
  readonly row: Row
  readonly costs: readonly Cost[]
}

/** The rows of all products, in the order of products and variants. */
export function linesOf(priced: readonly Priced[], scope: Scope, reduction: Reduction): Line[] {
  return priced.flatMap(({ product, variants, offers, costs }) => {
    const rows = Map.groupBy(rowsOf(offers, scope, reduction), ({ variant }) => variant)
    return variants.flatMap((variant) =>
      (rows.get(variant['@id']) ?? []).map((row) => ({
        key: [row.variant, row.channel ?? '*', ...row.countries].join(' '),
        name: variants.length > 1 ? `${product.title}, ${variantName(variant)}` : product.title,
        row,
        costs: costs.filter((each) => each.variant === row.variant),
      })),
    )
  })
}

/** Rows that are drawn at first. */
const drawn = 200

/** The old and new price of each row, and its margin; a row can be left out. */
export function SaleTable({
  lines,
  at,
  left,
  onLeave,
  made,
  refusals,
}: {
  lines: readonly Line[]
  /** When the sale begins: the moment of the costs. */
  at: string
  left: ReadonlySet<string>
  onLeave: (left: ReadonlySet<string>) => void
  made: ReadonlySet<string>
  refusals: ReadonlyMap<string, Refusal>
}) {
  const words = useWords('sale')
  const [most, setMost] = useState(drawn)
  const hasCosts = lines.some(({ costs }) => costs.some(({ cost }) => cost !== undefined))
  const toggle = (key: string) => {
    const next = new Set(left)
    if (!next.delete(key)) next.add(key)
    onLeave(next)
  }
  return (
    <>
      <Box sx={{ overflowX: 'auto', mt: 2 }}>
        <Table size="small" aria-label={words.table}>
          <TableHead>
            <TableRow>
              <TableCell padding="checkbox" />
              <TableCell>{words.variant}</TableCell>
              <TableCell>{words.place}</TableCell>
              <TableCell align="right">{words.old}</TableCell>
              <TableCell align="right">{words.new}</TableCell>
              {hasCosts && <TableCell align="right">{words.margin}</TableCell>}
              <TableCell>{words.note}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {lines.slice(0, most).map((line) => (
              <LineRow
                key={line.key}
                line={line}
                at={at}
                isIn={!left.has(line.key)}
                isMade={made.has(line.key)}
                refusal={refusals.get(line.key)}
                hasCosts={hasCosts}
                onToggle={() => toggle(line.key)}
              />
            ))}
          </TableBody>
        </Table>
      </Box>
      {lines.length > most && (
        <Button onClick={() => setMost(most + drawn)}>{words.more(lines.length - most)}</Button>
      )}
      {hasCosts && (
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
          {words.taxInside}
        </Typography>
      )}
    </>
  )
}

function LineRow({
  line: { name, row, costs },
  at,
  isIn,
  isMade,
  refusal,
  hasCosts,
  onToggle,
}: {
  line: Line
  at: string
  isIn: boolean
  isMade: boolean
  refusal: Refusal | undefined
  hasCosts: boolean
  onToggle: () => void
}) {
  const words = useWords('sale')
  const { base, amount, channel, countries, notes } = row
  const { currency } = base
  const isPossible = amount !== null
  return (
    <TableRow sx={{ opacity: isIn && isPossible ? 1 : 0.6 }}>
      <TableCell padding="checkbox">
        <Checkbox
          size="small"
          checked={isIn && isPossible}
          disabled={!isPossible || isMade}
          onChange={onToggle}
          slotProps={{ input: { 'aria-label': words.leaveIn(name) } }}
        />
      </TableCell>
      <TableCell sx={{ fontWeight: 600, minWidth: 140 }}>{name}</TableCell>
      <TableCell sx={{ minWidth: 120 }}>
        {channel ?? words.everyChannel}, {countries.join(' ') || words.everyCountry}
      </TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
        {money(base.amount, currency)}
      </TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap', fontWeight: 600 }}>
        {isPossible ? money(amount, currency) : words.unknown}
      </TableCell>
      {hasCosts && (
        <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
          <Margin amount={amount} currency={currency} costs={costs} at={at} />
        </TableCell>
      )}
      <TableCell sx={{ minWidth: 160 }}>
        {isMade && <div>✓ {words.made}</div>}
        {refusal && <Box sx={{ color: 'error.main' }}>{refusal.message}</Box>}
        {!isPossible && <div>{words.notLower}</div>}
        {notes.map((each) => (
          <div key={each}>{words.notes[each]}</div>
        ))}
      </TableCell>
    </TableRow>
  )
}

function Margin({
  amount,
  currency,
  costs,
  at,
}: {
  amount: string | null
  currency: string
  costs: readonly Cost[]
  at: string
}) {
  const words = useWords('sale')
  const [language = 'en'] = useLocaleState()
  const cost = costAt(costs, currency, new Date(at))?.cost
  const margin = amount === null || cost === undefined ? null : marginOf(amount, cost, currency)
  if (margin === null) return <>{words.unknown}</>
  const percent = (margin.permille / 1000).toLocaleString(language, {
    style: 'percent',
    maximumFractionDigits: 1,
  })
  const isLoss = margin.permille < 0
  return (
    <Box component="span" sx={{ color: isLoss ? 'error.main' : undefined }}>
      {money(margin.amount, currency)} ({percent}){isLoss && `, ${words.belowCost}`}
    </Box>
  )
}
