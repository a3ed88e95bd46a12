import { Box, Button, TableCell } from '@mui/material'
import { type ClipboardEvent, type KeyboardEvent, memo, useId } from 'react'
import { useLocaleState } from 'react-admin'
import { decimalText } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { shopZone } from '../core/zone.ts'
import { money } from '../fields/Money.tsx'
import { type Cell, type Mistake, pasted } from './grid.ts'
import type { SaleOffer } from './offer.ts'
import type { Refusal } from './save.ts'

/** The actions of a cell. */
export type GridMove =
  | { readonly kind: 'type'; readonly key: string; readonly text: string }
  | { readonly kind: 'go'; readonly down: number; readonly right: number }
  | { readonly kind: 'paste'; readonly block: readonly (readonly string[])[] }
  | { readonly kind: 'extend'; readonly down: number; readonly right: number }
  | { readonly kind: 'fill' | 'undo' | 'empty' }
  | { readonly kind: 'enter' }

/** An input for an amount, with the stored amount and the other offers of the same cell. */
export const GridCell = memo(function GridCell({
  at,
  row,
  column,
  label,
  currency,
  cell,
  text,
  isChanged,
  isSelected,
  mistake,
  refusal,
  isAllowed,
  act,
}: {
  at: string
  row: number
  column: number
  label: string
  currency: string
  cell: Cell | undefined
  text: string
  isChanged: 'created' | 'changed' | 'removed' | undefined
  isSelected: boolean
  mistake: Mistake | undefined
  refusal: Refusal | undefined
  isAllowed: boolean
  /** Gives whether the move did something. */
  act: (row: number, column: number, move: GridMove) => boolean
}) {
  const words = useWords('grid')
  const below = useId()
  const locale = interfaceLocale()
  const standing = cell?.standing ?? null
  const isWrong = mistake !== undefined || refusal !== undefined
  const keyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const move = moveOf(event)
    if (move === null) return
    if (act(row, column, move) || event.key === 'Enter' || move.kind === 'fill') event.preventDefault()
  }
  const paste = (event: ClipboardEvent) => {
    const block = pasted(event.clipboardData.getData('text/plain'))
    event.preventDefault()
    act(row, column, { kind: 'paste', block })
  }
  return (
    <TableCell sx={{ verticalAlign: 'top', py: 1, ...(isSelected && { bgcolor: 'action.focus' }) }}>
      <Box
        component="input"
        value={text}
        data-row={row}
        data-column={column}
        aria-label={label}
        aria-invalid={isWrong}
        aria-describedby={below}
        inputMode="decimal"
        autoComplete="off"
        readOnly={!isAllowed}
        onChange={({ target }) => act(row, column, { kind: 'type', key: at, text: target.value })}
        onFocus={({ target }) => {
          target.select()
          act(row, column, { kind: 'enter' })
        }}
        onKeyDown={keyDown}
        onPaste={paste}
        sx={{
          width: 120,
          font: 'inherit',
          fontVariantNumeric: 'tabular-nums',
          textAlign: 'right',
          color: 'text.primary',
          bgcolor: isChanged ? 'rgba(245, 158, 11, 0.18)' : isSelected ? 'transparent' : 'background.paper',
          border: 1,
          borderColor: isWrong ? 'error.main' : isChanged ? 'warning.main' : 'text.disabled',
          borderRadius: 1,
          px: 1,
          py: 0.5,
          '&:focus': { outline: '2px solid', outlineColor: 'primary.main' },
        }}
      />
      <Box id={below} sx={{ fontSize: '0.75rem', maxWidth: 200, lineHeight: 1.35 }}>
        {isChanged === 'created' && <div>{words.wasNone}</div>}
        {isChanged === 'changed' && standing && <div>{words.was(money(standing.amount, currency))}</div>}
        {isChanged === 'removed' && standing && (
          <div>{words.wasRemoved(money(standing.amount, currency))}</div>
        )}
        {mistake && (
          <Box sx={{ color: 'error.main' }}>
            {mistake === 'number'
              ? words.mistakes.number(decimalText('1234.50', locale))
              : mistake === 'decimals'
                ? words.mistakes.decimals(currency)
                : words.mistakes.negative}
          </Box>
        )}
        {refusal && !refusal.isOvertaken && <Box sx={{ color: 'error.main' }}>{refusal.message}</Box>}
        {refusal?.isOvertaken && (
          <Box sx={{ color: 'error.main' }}>
            {standing ? words.overtaken(money(standing.amount, currency)) : words.overtakenGone}{' '}
            <Button
              size="small"
              onClick={() => {
                const theirs = standing ? decimalText(standing.amount, locale) : ''
                act(row, column, { kind: 'type', key: at, text: theirs })
              }}
            >
              {words.takeTheirs}
            </Button>
          </Box>
        )}
        {cell?.others.map((each) => (
          <Left key={each['@id']} offer={each} />
        ))}
      </Box>
    </TableCell>
  )
})

/** An offer that the grid shows and does not touch. */
function Left({ offer }: { offer: SaleOffer }) {
  const words = useWords('grid')
  const [language = 'en'] = useLocaleState()
  const { amount, currency, validFrom, validUntil, minQuantity, status } = offer
  const day = (moment: string | null) =>
    moment && new Date(moment).toLocaleDateString(language, { dateStyle: 'medium', timeZone: shopZone() })
  const limits = [
    ...(status === 'DRAFT' ? [words.draft] : []),
    ...(validFrom === null && validUntil === null ? [] : [words.dates(day(validFrom), day(validUntil))]),
    ...(minQuantity > 1 ? [words.pieces(minQuantity)] : []),
  ]
  return (
    <Box sx={{ opacity: 0.8 }}>
      {money(amount, currency)} {limits.join(', ') || words.otherRank}
    </Box>
  )
}

/** The command of a key; null for keys that only edit the input. */
function moveOf(event: KeyboardEvent<HTMLInputElement>): GridMove | null {
  const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget: input } = event
  if (ctrlKey || metaKey) {
    if (key.toLowerCase() === 'd') return { kind: 'fill' }
    return key.toLowerCase() === 'z' && !shiftKey ? { kind: 'undo' } : null
  }
  if (altKey) return null
  if (key === 'Enter') return { kind: 'go', down: shiftKey ? -1 : 1, right: 0 }
  if (key === 'Delete' || key === 'Backspace') return { kind: 'empty' }
  const kind = shiftKey ? 'extend' : 'go'
  if (key === 'ArrowDown') return { kind, down: 1, right: 0 }
  if (key === 'ArrowUp') return { kind, down: -1, right: 0 }
  // Left and right leave the cell only at the edge of the text, or if all of it is selected, as it is on arrival.
  const [start, end, length] = [input.selectionStart, input.selectionEnd, input.value.length]
  const isWhole = start === 0 && end === length
  if (key === 'ArrowRight' && (isWhole || start === length)) return { kind, down: 0, right: 1 }
  if (key === 'ArrowLeft' && (isWhole || end === 0)) return { kind, down: 0, right: -1 }
  return null
}
