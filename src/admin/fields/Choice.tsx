import { MenuItem, TextField, type TextFieldProps } from '@mui/material'

/** Chooses one of some values, by their names. */
export function Choice<Value extends string>({
  choices,
  onChoose,
  ...props
}: Omit<TextFieldProps, 'onChange'> & {
  choices: readonly (readonly [value: Value, name: string])[]
  onChoose: (value: Value) => void
}) {
  return (
    <TextField {...props} select onChange={({ target }) => onChoose(target.value as Value)}>
      {choices.map(([value, name]) => (
        <MenuItem key={value} value={value}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  )
}
