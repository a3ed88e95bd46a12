import AddIcon from '@mui/icons-material/Add'
import DeleteIcon from '@mui/icons-material/Delete'
import { Autocomplete, Box, Button, IconButton, TextField } from '@mui/material'
import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { inForm, ownKey } from '../core/keyed-fields.ts'
import { Section } from '../layout/Section.tsx'
import { FieldInput } from './FieldInput.tsx'
import { useFieldTypes, useTypeNames } from './types.ts'

type Entry = { readonly value?: string | null; readonly type?: string | null } | null

/** The custom fields of a product, variant or category, each value in the input of its type. */
export function CustomFields() {
  const words = useWords('content')
  const { setValue } = useFormContext()
  const fields = (useWatch({ name: 'fields' }) ?? {}) as Readonly<Record<string, Entry>>
  const typeName = useTypeNames()
  const shown = Object.entries(fields).flatMap(([key, entry]) =>
    entry?.type ? [{ key, type: entry.type }] : [],
  )
  return (
    <Section title={words.customData} open={shown.length > 0}>
      {shown.length === 0 && <Box sx={{ mb: 2 }}>{words.customDataEmpty}</Box>}
      {shown.map(({ key, type }) => (
        <Box key={key} sx={{ display: 'flex', gap: 1, alignItems: 'flex-start' }}>
          <FieldInput source={`fields.${key}.value`} type={type} label={ownKey(key)} note={typeName(type)} />
          <IconButton
            aria-label={words.removeField(ownKey(key))}
            onClick={() => setValue(`fields.${key}`, null, { shouldDirty: true })}
          >
            <DeleteIcon fontSize="small" />
          </IconButton>
        </Box>
      ))}
      <NewField
        taken={new Set(shown.map(({ key }) => key))}
        onAdd={(key, type) => setValue(`fields.${key}`, { value: '', type }, { shouldDirty: true })}
      />
    </Section>
  )
}

function NewField({
  taken,
  onAdd,
}: {
  taken: ReadonlySet<string>
  onAdd: (key: string, type: string) => void
}) {
  const words = useWords('content')
  const types = useFieldTypes().map((each) => each['@id'])
  const typeName = useTypeNames()
  const [key, setKey] = useState('')
  const [type, setType] = useState<string | null>('/api/metafield_definition_types/single_line_text_field')
  const isTaken = taken.has(inForm(key))
  const isKey = /^(?=.{1,64}$)[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/.test(key)
  const add = () => {
    if (!isKey || isTaken || type === null) return
    onAdd(inForm(key), type)
    setKey('')
  }
  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'flex-start', mt: 1 }}>
      <TextField
        label={words.newKey}
        value={key}
        onChange={({ target }) => setKey(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Else Enter would save the form around it.
          event.preventDefault()
          add()
        }}
        error={isTaken || (key !== '' && !isKey)}
        helperText={isTaken ? words.keyTaken : words.keyHelp}
        sx={{ flex: '1 1 160px' }}
      />
      <Autocomplete
        options={types}
        value={type}
        getOptionLabel={typeName}
        onChange={(_, next) => setType(next)}
        renderInput={(props) => <TextField {...props} label={words.newType} />}
        sx={{ flex: '1 1 200px' }}
      />
      <Button
        startIcon={<AddIcon />}
        disabled={!isKey || isTaken || type === null}
        onClick={add}
        sx={{ mt: 1 }}
      >
        {words.addField}
      </Button>
    </Box>
  )
}
