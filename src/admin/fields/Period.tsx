import { TextField, type TextFieldProps } from '@mui/material'

type Ends = { readonly from: string; readonly until: string }

/** The inputs of a beginning and an end. `fault` says what is wrong with both together. */
export function Period({
  labels,
  value,
  onChange,
  fault,
  ...props
}: Omit<TextFieldProps, 'value' | 'onChange'> & {
  type: 'date' | 'datetime-local'
  labels: Ends
  value: Ends
  onChange: (change: Partial<Ends>) => void
  fault?: string | undefined
}) {
  return (['from', 'until'] as const).map((name) => (
    <TextField
      {...props}
      key={name}
      label={labels[name]}
      value={value[name]}
      error={fault !== undefined}
      helperText={name === 'until' ? fault : undefined}
      onChange={({ target }) => onChange({ [name]: target.value })}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  ))
}
