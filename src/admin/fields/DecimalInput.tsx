import { Box, TextField } from '@mui/material'
import { type ReactNode, useState } from 'react'
import {
  type InputProps,
  SelectInput,
  sanitizeInputRestProps,
  useInput,
  useTranslateLabel,
  ValidationError,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { type Json, same } from '../core/changed.ts'
import { decimalOf, decimalText } from '../core/decimal-text.ts'
import { interfaceLocale, messages } from '../core/language.ts'
import { money } from './Money.tsx'

type Props = Omit<InputProps, 'helperText'> & {
  readonly label?: string
  readonly helperText?: string
  /** The field of the form that holds the currency; what was understood is then shown as money. */
  readonly currency?: string
  /** The service takes this one as a number, amounts as a text. */
  readonly asNumber?: boolean
}

/** A decimal number, typed as people write it where they live; what was understood is shown while they type. */
export function DecimalInput({
  label,
  helperText,
  currency,
  asNumber = false,
  validate = [],
  ...props
}: Props) {
  const locale = interfaceLocale()
  const shown = (value: unknown) => (value == null ? '' : decimalText(String(value), locale))
  const { field, fieldState, id, isRequired } = useInput({
    ...props,
    validate: [...[validate].flat(), (value: unknown) => (isUnderstood(value) ? undefined : mistake(locale))],
  })
  const [typed, setTyped] = useState<{ text: string; value: Json } | null>(null)
  const translateLabel = useTranslateLabel()
  // A value from elsewhere (another record, a reset) replaces the typed text. The form has a copy of a text that is not a number.
  const text = typed !== null && same(typed.value, field.value) ? typed.text : shown(field.value)
  const change = (next: string) => {
    const decimal = decimalOf(next, locale)
    const value =
      next.trim() === '' ? null : decimal === null ? { written: next } : asNumber ? Number(decimal) : decimal
    setTyped({ text: next, value })
    field.onChange(value)
  }
  const { error } = fieldState
  return (
    <TextField
      {...sanitizeInputRestProps(props)}
      id={id}
      name={field.name}
      inputRef={field.ref}
      label={translateLabel({ source: props.source, label })}
      required={isRequired}
      value={text}
      onChange={({ target }) => change(target.value)}
      onBlur={field.onBlur}
      error={error !== undefined}
      helperText={
        error?.message !== undefined ? (
          <ValidationError error={error.message} />
        ) : (
          <Understood value={field.value} text={text} currency={currency}>
            {helperText}
          </Understood>
        )
      }
      slotProps={{ htmlInput: { inputMode: 'decimal', autoComplete: 'off' } }}
      fullWidth
    />
  )
}

/** The units of contents with a unit price. */
export const measuredUnits = ['g', 'kg', 'ml', 'l', 'm', 'm2', 'm3']

type Quantity = { readonly source: string; readonly units: readonly string[]; readonly helperText?: string }

/** A quantity: a number and its unit. */
export function QuantityInput({ source, units, ...props }: Quantity) {
  return (
    <Box sx={{ display: 'flex', gap: 2, alignItems: 'flex-start' }}>
      <DecimalInput source={`${source}.value`} asNumber {...props} />
      <SelectInput source={`${source}.unit`} choices={units.map((id) => ({ id, name: unitText(id) }))} />
    </Box>
  )
}

/** A unit as people write it: `m²`. */
export function unitText(unit: string): string {
  const names: Readonly<Record<string, string>> = messages('fields').units
  return names[unit] ?? unit
}

const isUnderstood = (value: unknown) => typeof value !== 'object' || value === null

function mistake(locale: string): string {
  return messages('fields').notANumber(decimalText('1234.50', locale))
}

function Understood({
  value,
  text,
  currency: source,
  children,
}: {
  value: unknown
  text: string
  currency: string | undefined
  children: ReactNode
}) {
  const currency = useWatch({ name: source ?? '@type' })
  const isMoney = typeof value === 'string' && source !== undefined && /^[A-Z]{3}$/.test(String(currency))
  if (!isMoney || text === '') return <>{children ?? ' '}</>
  return <>= {money(value, currency)}</>
}
