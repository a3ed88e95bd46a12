import { Box, InputAdornment, TextField } from '@mui/material'
import { type ReactNode, type Ref, useState } from 'react'
import { instantIn, localTime } from '../core/clock.ts'
import { decimalOf, decimalText } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { shopZone, zoneText } from '../core/zone.ts'
import { Choice } from '../fields/Choice.tsx'
import { ReferenceEditor } from './ReferenceEditor.tsx'
import { type Rule, textsIn } from './types.ts'

export type EditorProps = {
  /** The slug of a type that is no list. */
  readonly base: string
  /** The value as the service takes it; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly label: string
  readonly helperText?: ReactNode
  readonly isWrong?: boolean
  readonly isRequired?: boolean
  readonly rules?: readonly Rule[]
  readonly name?: string
  readonly inputRef?: Ref<HTMLInputElement>
}

/** Edits one value of a type, in the input that people expect for it. */
export function ValueEditor({ rules = [], ...props }: EditorProps) {
  const words = useWords('content')
  const ruled = (name: string) => rules.find((each) => each.name === name)?.value
  const { base } = props
  if (base.endsWith('_reference')) {
    return <ReferenceEditor {...props} definition={ruled('metaobject_definition')} />
  }
  switch (base) {
    case 'single_line_text_field': {
      const choices = textsIn(ruled('choices'))
      return choices.length > 0 ? (
        <OneOf {...props} choices={choices.map((each) => [each, each])} />
      ) : (
        <Line {...props} />
      )
    }
    case 'boolean':
      return (
        <OneOf
          {...props}
          choices={[
            ['true', words.yes],
            ['false', words.no],
          ]}
        />
      )
    case 'multi_line_text_field':
      return <Line {...props} multiline />
    case 'json':
      return (
        <Line
          {...props}
          multiline
          helperText={props.value !== '' && !isJson(props.value) ? words.notJson : props.helperText}
        />
      )
    case 'number_integer':
    case 'number_decimal':
      return <NumberLine {...props} />
    case 'date':
      return <Line {...props} type="date" />
    case 'date_time':
      return <Moment {...props} />
    case 'url':
      return <Line {...props} type="url" />
    case 'color':
      return <Colour {...props} />
    case 'money':
      return <Money {...props} />
    default:
      return <Line {...props} />
  }
}

function Line({
  base: _,
  onChange,
  isWrong = false,
  isRequired = false,
  multiline = false,
  type,
  rules: __,
  ...props
}: EditorProps & { multiline?: boolean; type?: string }) {
  return (
    <TextField
      {...props}
      {...(type && { type })}
      // Pickers of the browser show their own form where nothing is chosen.
      {...((type === 'date' || type === 'datetime-local') && { slotProps: { inputLabel: { shrink: true } } })}
      multiline={multiline}
      error={isWrong}
      required={isRequired}
      onChange={({ target }) => onChange(target.value)}
      fullWidth
    />
  )
}

function OneOf({
  base: _,
  choices,
  onChange,
  isWrong = false,
  isRequired = false,
  rules: __,
  ...props
}: EditorProps & { choices: readonly (readonly [value: string, name: string])[] }) {
  const words = useWords('content')
  const { value } = props
  // A value that is older than a rule stays visible.
  const others = value === '' || choices.some(([each]) => each === value) ? [] : [[value, value] as const]
  return (
    <Choice
      {...props}
      choices={[['', words.none], ...choices, ...others]}
      onChoose={onChange}
      error={isWrong}
      required={isRequired}
      fullWidth
    />
  )
}

/** A text that is not a number stays as it is, so that the service rejects it and nothing is lost. */
function NumberLine({ value, onChange, helperText, isWrong, ...props }: EditorProps) {
  const words = useWords('content')
  const locale = interfaceLocale()
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string } | null>(null)
  const text = typed?.value === value ? typed.text : isDecimal(value) ? decimalText(value, locale) : value
  const isNone = value !== '' && !isDecimal(value)
  const change = (next: string) => {
    const decimal = next.trim() === '' ? '' : (decimalOf(next, locale) ?? next)
    setTyped({ text: next, value: decimal })
    onChange(decimal)
  }
  return (
    <TextField
      {...(({ base: _, isRequired, rules: __, ...rest }) => ({ ...rest, required: isRequired ?? false }))(
        props,
      )}
      value={text}
      onChange={({ target }) => change(target.value)}
      error={isNone || (isWrong ?? false)}
      helperText={isNone ? words.notOneNumber(decimalText('1234.5', locale)) : helperText}
      slotProps={{ htmlInput: { inputMode: 'decimal', autoComplete: 'off' } }}
      fullWidth
    />
  )
}

const isDecimal = (text: string) => /^-?\d+(?:\.\d+)?$/.test(text)

/** In the zone of the shop, kept in UTC. */
function Moment({ value, onChange, ...props }: EditorProps) {
  return (
    <Line
      {...props}
      helperText={props.helperText ?? zoneText()}
      type="datetime-local"
      value={value === '' ? '' : localMoment(value)}
      onChange={(text) => onChange(instantIn(text, shopZone())?.toISOString() ?? '')}
    />
  )
}

function localMoment(value: string): string {
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? '' : localTime(moment, shopZone())
}

function Colour({
  value,
  onChange,
  base: _,
  isWrong = false,
  isRequired = false,
  rules: __,
  ...props
}: EditorProps) {
  const words = useWords('content')
  return (
    <TextField
      {...props}
      value={value}
      onChange={({ target }) => onChange(target.value.trim())}
      placeholder="#33cc99"
      error={isWrong}
      required={isRequired}
      slotProps={{
        input: {
          endAdornment: (
            <InputAdornment position="end">
              <input
                type="color"
                aria-label={words.colour(props.label)}
                value={/^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
                onChange={({ target }) => onChange(target.value)}
              />
            </InputAdornment>
          ),
        },
      }}
      fullWidth
    />
  )
}

/** An amount and its currency, kept as the JSON text that the type asks for. */
function Money({ value, onChange, label, ...props }: EditorProps) {
  const words = useWords('content')
  const { amount, currency } = moneyIn(value)
  const change = (next: { amount: string; currency: string }) =>
    onChange(next.amount === '' && next.currency === '' ? '' : JSON.stringify(next))
  return (
    <Box sx={{ display: 'flex', gap: 1, width: '100%' }}>
      <NumberLine
        {...props}
        label={words.amount(label)}
        value={amount}
        onChange={(next) => change({ amount: next, currency })}
      />
      <TextField
        label={words.currency(label)}
        value={currency}
        onChange={({ target }) => change({ amount, currency: target.value.trim().toUpperCase().slice(0, 3) })}
        placeholder="EUR"
        sx={{ minWidth: 150, flexBasis: 170 }}
      />
    </Box>
  )
}

function moneyIn(text: string): { amount: string; currency: string } {
  try {
    const { amount = '', currency = '' } = JSON.parse(text)
    return { amount: String(amount), currency: String(currency) }
  } catch {
    return { amount: '', currency: '' }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
