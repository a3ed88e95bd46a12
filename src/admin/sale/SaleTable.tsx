import { Box, Button, Checkbox, Typography } from '@mui/material'
import { useState } from 'react'
import { useLocaleState } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { money } from '../fields/Money.tsx'
import { variantName } from '../fields/Title.tsx'
import { type Column, DataTable } from '../layout/DataTable.tsx'
import { type Cost, costAt } from '../prices/costs.ts'
import { marginOf } from '../prices/decimals.ts'
import type { Refusal } from '../prices/save.ts'
import type { Announcement } from './announcements.ts'
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
  announcements,
}: {
  lines: readonly Line[]
  /** When the sale begins: the moment of the costs. */
  at: string
  left: ReadonlySet<string>
  onLeave: (left: ReadonlySet<string>) => void
  made: ReadonlySet<string>
  refusals: ReadonlyMap<string, Refusal>
  announcements: ReadonlyMap<string, readonly Announcement[]> | null
}) {
  const words = useWords('sale')
  const [most, setMost] = useState(drawn)
  const hasCosts = lines.some(({ costs }) => costs.some(({ cost }) => cost !== undefined))
  const toggle = (key: string) => {
    const next = new Set(left)
    if (!next.delete(key)) next.add(key)
    onLeave(next)
  }
  const reasons: Readonly<Record<string, string>> = useWords('why').prior.reasons
  const reasonOf = ({ problem, priorAmount, currency }: Announcement): string => {
    if (priorAmount === null) return reasons[problem] ?? problem
    const isBelow = problem !== 'not_below_prior_price'
    return words.priorPrice(money(priorAmount, currency), isBelow)
  }
  const margin: Column<Line> = {
    title: words.margin,
    align: 'right',
    sx: { whiteSpace: 'nowrap' },
    content: ({ row: { amount, base }, costs }) => (
      <Margin amount={amount} currency={base.currency} costs={costs} at={at} />
    ),
  }
  return (
    <Box sx={{ mt: 2 }}>
      <DataTable
        label={words.table}
        rows={lines.slice(0, most)}
        keyOf={({ key }) => key}
        rowProps={({ key, row }) => ({ sx: { opacity: !left.has(key) && row.amount !== null ? 1 : 0.6 } })}
        columns={[
          {
            padding: 'checkbox',
            content: ({ key, name, row }) => (
              <Checkbox
                size="small"
                checked={!left.has(key) && row.amount !== null}
                disabled={row.amount === null || made.has(key)}
                onChange={() => toggle(key)}
                slotProps={{ input: { 'aria-label': words.leaveIn(name) } }}
              />
            ),
          },
          { title: words.variant, content: ({ name }) => name, sx: { fontWeight: 600, minWidth: 140 } },
          {
            title: words.place,
            sx: { minWidth: 120 },
            content: ({ row: { channel, countries } }) =>
              `${channel ?? words.everyChannel}, ${countries.join(' ') || words.everyCountry}`,
          },
          {
            title: words.old,
            align: 'right',
            sx: { whiteSpace: 'nowrap' },
            content: ({ row: { base } }) => money(base.amount, base.currency),
          },
          {
            title: words.new,
            align: 'right',
            sx: { whiteSpace: 'nowrap', fontWeight: 600 },
            content: ({ row: { amount, base } }) =>
              amount === null ? words.unknown : money(amount, base.currency),
          },
          ...(hasCosts ? [margin] : []),
          {
            title: words.note,
            sx: { minWidth: 160 },
            content: ({ key, row }) => (
              <>
                {made.has(key) && <div>✓ {words.made}</div>}
                {refusals.has(key) && <Box sx={{ color: 'error.main' }}>{refusals.get(key)?.message}</Box>}
                {row.amount === null && <div>{words.notLower}</div>}
                {row.notes.map((each) => (
                  <div key={each}>{words.notes[each]}</div>
                ))}
                {announcements?.get(key)?.map((each) => (
                  <div key={each.country}>{words.notAllowed(each.country, reasonOf(each))}</div>
                ))}
              </>
            ),
          },
        ]}
      />
      {lines.length > most && (
        <Button onClick={() => setMost(most + drawn)}>{words.more(lines.length - most)}</Button>
      )}
      {announcements === null && (
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
          {words.notChecked}
        </Typography>
      )}
      {hasCosts && (
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
          {words.taxInside}
        </Typography>
      )}
    </Box>
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
