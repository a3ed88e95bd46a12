import { Box, Button, TableCell } from '@mui/material'
import { type ClipboardEvent, type KeyboardEvent, memo, useId } from 'react'
import { useLocaleState } from 'react-admin'
import { decimalText } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { shopZone } from '../core/zone.ts'
import { money } from '../fields/Money.tsx'
import type { PropertyMistake } from '../grid/properties.ts'
import type { Messages } from '../messages/en.ts'
import type { Cell, Mistake } from './grid.ts'
import type { SaleOffer } from './offer.ts'
import type { Refusal } from './save.ts'

/** The actions of a cell. */
export type GridMove =
  | { readonly kind: 'type'; readonly key: string; readonly text: string }
  | { readonly kind: 'go'; readonly down: number; readonly right: number }
  | { readonly kind: 'restore'; readonly key: string }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'extend'; readonly down: number; readonly right: number }
  | { readonly kind: 'fill' | 'undo' | 'redo' | 'empty' }
  | { readonly kind: 'enter' }

/** An input for an amount, with the stored amount and the other offers of the same cell. */
export const GridCell = memo(function GridCell({
  at,
  row,
  column,
  label,
  currency,
  cell,
  was,
  inherited,
  text,
  isChanged,
  isCompact,
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
  /** Null in a column of texts. */
  currency: string | null
  cell: Cell | undefined
  /** The stored value, as people read it. */
  was: string
  /** The price of a broader place, if the cell has none. */
  inherited: string | undefined
  text: string
  isChanged: 'created' | 'changed' | 'removed' | undefined
  /** Whether all rows have the same height. */
  isCompact: boolean
  isSelected: boolean
  mistake: Mistake | PropertyMistake | undefined
  refusal: Refusal | undefined
  isAllowed: boolean
  /** Gives whether the move did something. */
  act: (row: number, column: number, move: GridMove) => boolean
}) {
  const words = useWords('grid')
  const below = useId()
  const isWrong = mistake !== undefined || refusal !== undefined
  const keyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const move = moveOf(event)
    if (move === null) return
    if (act(row, column, move) || event.key === 'Enter' || move.kind === 'fill') event.preventDefault()
  }
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain')
    // A single text may become a part of the text of the cell.
    if (currency === null && !/[\t\n]/.test(text)) return
    event.preventDefault()
    act(row, column, { kind: 'paste', text })
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
        placeholder={inherited}
        inputMode={currency === null ? 'text' : 'decimal'}
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
          width: currency === null ? 200 : 120,
          font: 'inherit',
          fontVariantNumeric: 'tabular-nums',
          textAlign: currency === null ? 'left' : 'right',
          // The head of the table covers a row above.
          scrollMarginTop: 80,
          '&::placeholder': { color: 'text.secondary', opacity: 1, fontStyle: 'italic' },
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
      <Box
        id={below}
        sx={{ fontSize: '0.75rem', maxWidth: 200, lineHeight: 1.35, ...(isCompact && compactNote) }}
        style={isCompact ? { width: currency === null ? 200 : 120 } : undefined}
      >
        {refusal?.isOvertaken && (
          <Box sx={{ color: 'error.main' }} title={was ? words.overtaken(was) : words.overtakenGone}>
            <Button
              size="small"
              sx={
                isCompact ? { p: 0, minWidth: 0, float: 'right', fontSize: 'inherit', lineHeight: 1.3 } : {}
              }
              onClick={() => act(row, column, { kind: 'restore', key: at })}
            >
              {words.takeTheirs}
            </Button>{' '}
            {was ? words.overtaken(was) : words.overtakenGone}
          </Box>
        )}
        {mistake && <ErrorNote text={mistakeText(mistake, currency, words)} />}
        {refusal && !refusal.isOvertaken && <ErrorNote text={refusal.message} />}
        {isChanged === 'created' && <div>{words.wasNone}</div>}
        {isChanged === 'changed' && <div title={was}>{words.was(was)}</div>}
        {isChanged === 'removed' && <div>{words.wasRemoved(was)}</div>}
        {cell?.others.map((each) => (
          <Left key={each['@id']} offer={each} />
        ))}
      </Box>
    </TableCell>
  )
})

/** One line. The tooltips have the whole texts. */
const compactNote = {
  height: '1.35em',
  overflow: 'hidden',
  '& > div': { whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' },
}

const ErrorNote = ({ text }: { text: string }) => (
  <Box sx={{ color: 'error.main' }} title={text}>
    {text}
  </Box>
)

function mistakeText(
  mistake: Mistake | PropertyMistake,
  currency: string | null,
  { mistakes }: Messages['grid'],
): string {
  if (mistake === 'number') return mistakes.number(decimalText('1234.50', interfaceLocale()))
  return mistake === 'decimals' ? mistakes.decimals(currency ?? '') : mistakes[mistake]
}

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
    const letter = key.toLowerCase()
    if (letter === 'd') return { kind: 'fill' }
    if (letter === 'y' || (letter === 'z' && shiftKey)) return { kind: 'redo' }
    return letter === 'z' ? { kind: 'undo' } : null
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
