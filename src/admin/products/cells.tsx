/** SKUs and prices of variants as inputs of the product's form, which are saved with it. */
import { Box, InputBase } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useId, useRef, useState } from 'react'
import {
  HttpError,
  Link,
  type Middleware,
  type RaRecord,
  type UseUpdateMutateParams,
  useDataProvider,
  useRegisterMutationMiddleware,
} from 'react-admin'
import { useController } from 'react-hook-form'
import { type Fields, isFields } from '../core/changed.ts'
import { decimalText } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { inForm, ownKey } from '../core/keyed-fields.ts'
import { interfaceLocale } from '../core/language.ts'
import { everyMember } from '../core/pages.ts'
import { hasScope } from '../core/session.ts'
import { variantName } from '../fields/Title.tsx'
import { columnName, type GridColumn, isPrice, keyIn, placesOf } from '../grid/columns.ts'
import { type GridRow, iriOf, patchesOf, propertyText } from '../grid/properties.ts'
import { sendDirectly, writesOf } from '../grid/writes.ts'
import { type Cell, type Column, cellsOf, columnsOf, inheritedOffer, planOf } from '../prices/grid.ts'
import { useMarkets } from '../prices/markets.ts'
import type { SaleOffer } from '../prices/offer.ts'
import { compare, isLive } from '../sale/plan.ts'

/** Edited texts by the keys of cells. The patch of a product leaves out names that begin with `@`. */
const cellsName = '@cells'
const nameOfCell = (key: string) => `${cellsName}.${inForm(key)}`

function editsIn({ [cellsName]: cells }: Fields): ReadonlyMap<string, string> {
  const texts = isFields(cells) ? Object.entries(cells) : []
  return new Map(
    texts.flatMap(([name, text]) => (typeof text === 'string' ? [[ownKey(name), text] as const] : [])),
  )
}

/** Columns that are shown; the price grid has all of them. */
const mostColumns = 4
export const skuColumn = { property: 'sku' } as const

/** The cells of a product's variants: each has the offer that applies now. */
export function useCells(record: RaRecord) {
  const product = String(record.id)
  const locale = interfaceLocale()
  const [now] = useState(() => new Date().toISOString())
  const { currencies } = useMarkets()
  const { data: offers } = useQuery({
    queryKey: ['sale_offers', 'every', product],
    enabled: hasScope('sale_offers:read'),
    queryFn: () =>
      everyMember<SaleOffer>(`/api/sale_offers?itemsPerPage=100&product=${encodeURIComponent(product)}`),
  })
  const rows = ((record.variants ?? []) as readonly Fields[]).map(
    (variant): GridRow => ({
      name: variantName(variant),
      variant,
      product: record as Fields,
    }),
  )
  const first: Column = { channel: null, countries: [], currency: currencies[0] ?? 'EUR' }
  const every = offers?.length === 0 ? [first] : columnsOf(offers ?? [])
  const columns = every.slice(0, mostColumns)
  const cells = new Map(
    [...cellsOf(offers ?? [])].map(([key, { standing, others }]) => {
      const all = [...(standing ? [standing] : []), ...others]
      return [key, cellNow(all, now)] as const
    }),
  )
  useSaveCells({ rows, columns: [skuColumn, ...columns], cells })
  return {
    rows,
    columns,
    hiddenColumns: every.length - columns.length,
    /** The stored text of a cell, the number of its other offers, and the text of the price that applies instead. */
    cellOf: (row: GridRow, column: GridColumn) => {
      const key = keyIn(row, column)
      if (!isPrice(column)) return { key, text: propertyText(row.variant, column.property, locale) }
      const { standing = null, others = [] } = cells.get(key) ?? {}
      const own = (offers ?? []).filter(({ variant }) => variant === iriOf(row.variant))
      const inherited = standing ? undefined : inheritedOffer(own, column, now)
      const amount = (offer: SaleOffer | null | undefined) => (offer ? decimalText(offer.amount, locale) : '')
      return { key, text: amount(standing), others: others.length, inherited: amount(inherited) }
    },
  }
}

function cellNow(offers: readonly SaleOffer[], now: string): Cell {
  const [standing = null] = offers
    .filter((offer) => offer.status === 'ACTIVE' && offer.minQuantity <= 1 && isLive(offer, now))
    .toSorted(compare)
  return { standing, others: offers.filter((offer) => offer !== standing) }
}

/** Saves edited cells after the product: a change of a variant raises the version of its product. */
function useSaveCells(grid: {
  readonly rows: readonly GridRow[]
  readonly columns: readonly GridColumn[]
  readonly cells: ReadonlyMap<string, Cell>
}) {
  const words = useWords('grid')
  const client = useQueryClient()
  const provider = useDataProvider()
  const latest = useRef({ ...grid, words })
  latest.current = { ...grid, words }
  const save = useCallback<Middleware<Update>>(
    async (resource, params, next) => {
      const edits = editsIn((params.data ?? {}) as Fields)
      if (edits.size === 0) return next(resource, params)
      const { rows, columns, cells, words } = latest.current
      const [prices, texts] = placesOf(rows, columns)
      const plan = planOf(edits, cells, prices, interfaceLocale())
      const { patches } = patchesOf(edits, texts, interfaceLocale())
      refuse(
        [...plan.mistakes].map(([key, mistake]) => {
          const text = words.mistakes[mistake]
          if (typeof text === 'string') return [key, text]
          const currency = prices.get(key)?.column.currency ?? ''
          return [key, text(mistake === 'number' ? decimalText('1234.50', interfaceLocale()) : currency)]
        }),
      )
      await next(resource, params)
      const refusals = await sendDirectly(writesOf(plan, patches), words.sameRequest)
      await client.invalidateQueries({ queryKey: ['sale_offers'] })
      // The cells that were saved have other versions now.
      if (refusals.size > 0) await client.invalidateQueries({ queryKey: [resource] })
      refuse([...refusals].map(([key, { message }]) => [key, message]))
      return provider.getOne(resource, { id: params.id })
    },
    [client, provider],
  )
  useRegisterMutationMiddleware(save)
}

type Update = (resource: string, params: Partial<UseUpdateMutateParams>) => Promise<unknown>

/** Rejects the save with errors at cells. */
function refuse(messages: readonly (readonly [key: string, message: string])[]): void {
  const [first] = messages
  if (!first) return
  const errors = Object.fromEntries(messages.map(([key, message]) => [nameOfCell(key), message]))
  throw new HttpError(first[1], 422, { errors })
}

/** An input of a cell. It holds a value only while its text differs from the stored one. */
export function CellInput({
  row,
  column,
  cell: { key, text: stored, others = 0, inherited },
}: {
  row: GridRow
  column: GridColumn
  cell: ReturnType<ReturnType<typeof useCells>['cellOf']>
}) {
  const words = useWords('grid')
  const products = useWords('products')
  const { field, fieldState } = useController({ name: nameOfCell(key) })
  const isAmount = isPrice(column)
  const mayWrite = hasScope(isAmount ? 'sale_offers:write' : 'products:write')
  const isEdited = typeof field.value === 'string'
  const error = fieldState.error?.message
  const below = useId()
  return (
    <>
      <InputBase
        inputRef={field.ref}
        name={field.name}
        value={isEdited ? field.value : stored}
        error={error !== undefined}
        placeholder={inherited}
        autoComplete="off"
        readOnly={!mayWrite}
        onChange={({ target: { value } }) => field.onChange(value === stored ? undefined : value)}
        onBlur={field.onBlur}
        onFocus={({ target }) => target.select()}
        slotProps={{
          input: {
            'aria-label': words.cell(row.name, isAmount ? columnName(column) : 'SKU'),
            'aria-describedby': below,
            inputMode: isAmount ? 'decimal' : 'text',
          },
        }}
        sx={{
          width: isAmount ? 100 : 150,
          fontSize: 'inherit',
          bgcolor: isEdited ? 'rgba(245, 158, 11, 0.18)' : 'background.paper',
          border: 1,
          borderColor: error ? 'error.main' : isEdited ? 'warning.main' : 'text.disabled',
          borderRadius: 1,
          px: 1,
          '& input': { p: 0.5, textAlign: isAmount ? 'right' : 'left', fontVariantNumeric: 'tabular-nums' },
          '& input::placeholder': { color: 'text.secondary', opacity: 1, fontStyle: 'italic' },
          '&.Mui-focused': { outline: '2px solid', outlineColor: 'primary.main' },
        }}
      />
      <Box id={below} sx={{ fontSize: '0.75rem', maxWidth: 200 }}>
        {error && <Box sx={{ color: 'error.main' }}>{error}</Box>}
        {isEdited && (stored === '' ? words.wasNone : words.was(stored))}
        {others > 0 && (
          <div>
            <Link to={`/price_grid/${encodeURIComponent(iriOf(row.product))}`}>
              {products.morePrices(others)}
            </Link>
          </div>
        )}
      </Box>
    </>
  )
}
