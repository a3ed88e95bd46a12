import DeleteIcon from '@mui/icons-material/Delete'
import { Alert, Box, Button, IconButton, TextField } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { useWords } from '../core/i18n.ts'
import { splitTexts } from '../fields/split-texts.ts'
import { variantName } from '../fields/Title.tsx'
import { Modal } from '../layout/Modal.tsx'
import { SortableList } from '../sorting/SortableList.tsx'
import { EntryField } from './EntryField.tsx'
import { type Entry, moved, type Option } from './plan.ts'
import type { Stored, Variant } from './stored.ts'

type Asking = { readonly entry: Entry; readonly variants: readonly Variant[] }

/** One option: its name, its values, and the variants that a removal would delete. */
export function OptionCard({
  option,
  others,
  stored,
  going,
  returned,
  handle,
  onChange,
  onRemove,
}: {
  option: Option
  others: readonly Option[]
  stored: Stored
  /** The variants that are to be archived already. */
  going: readonly string[]
  /** The key of the entry that was removed and put back. */
  returned: string | null
  handle: ReactNode
  onChange: (option: Option) => void
  onRemove: (key: string, variants: readonly string[]) => void
}) {
  const words = useWords('options')
  const [typed, setTyped] = useState('')
  const [asking, setAsking] = useState<Asking | null>(null)
  const before = stored.options.find(({ key }) => key === option.key)
  const name = option.title || words.thisOption
  const { values } = option
  const rename = (key: string, title: string) =>
    onChange({ ...option, values: values.map((each) => (each.key === key ? { ...each, title } : each)) })
  const add = () => {
    const added = splitTexts(typed).map((title) => ({
      key: crypto.randomUUID(),
      iri: null,
      title,
      version: null,
    }))
    onChange({ ...option, values: [...values, ...added] })
    setTyped('')
  }
  /** Before a removal, the user sees the variants for sale that it deletes. */
  const remove = (entry: Entry, gone: readonly Entry[]) => {
    const iris = new Set(gone.map(({ iri }) => iri))
    const variants = stored.variants.filter(
      (each) => !going.includes(each['@id']) && each.optionValues.some((value) => iris.has(value['@id'])),
    )
    if (variants.length === 0) onRemove(entry.key, [])
    else setAsking({ entry, variants })
  }
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 2, p: { xs: 1, sm: 2 } }}>
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1, mb: 1 }}>
        {handle}
        <EntryField
          entry={option}
          others={others}
          label={words.option}
          before={before}
          fallback={option.iri === null ? undefined : stored.fallbacks.get(option.iri)}
          isReturned={option.key === returned}
          onChange={(title) => onChange({ ...option, title })}
        />
        <IconButton
          aria-label={words.remove(name)}
          onClick={() => remove(option, before?.values ?? [])}
          size="small"
        >
          <DeleteIcon fontSize="small" />
        </IconButton>
      </Box>
      {option.iri === null && stored.variants.length > 0 && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {words.newOptionHelp}
        </Alert>
      )}
      <Box sx={{ pl: { xs: 1, sm: 5 } }}>
        <SortableList
          items={values}
          label={words.valuesOf(name)}
          keyOf={({ key }) => key}
          nameOf={({ title }) => title || words.value}
          onMove={(from, to) => onChange({ ...option, values: moved(values, from, to) })}
        >
          {(value, _, grip) => (
            <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
              {grip}
              <EntryField
                entry={value}
                others={values}
                label={words.value}
                before={before?.values.find(({ key }) => key === value.key)}
                fallback={value.iri === null ? undefined : stored.fallbacks.get(value.iri)}
                isReturned={value.key === returned}
                onChange={(title) => rename(value.key, title)}
              />
              <IconButton
                aria-label={words.remove(value.title)}
                onClick={() => remove(value, [value])}
                size="small"
              >
                <DeleteIcon fontSize="small" />
              </IconButton>
            </Box>
          )}
        </SortableList>
        <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
          <TextField
            label={words.newValue(name)}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
            helperText={words.newValueHelp}
            size="small"
            margin="none"
            fullWidth
            slotProps={{ htmlInput: { maxLength: 255, autoComplete: 'off' } }}
          />
          <Button onClick={add} disabled={splitTexts(typed).length === 0} sx={{ flexShrink: 0 }}>
            {words.addValue}
          </Button>
        </Box>
      </Box>
      {asking && (
        <Removal
          {...asking}
          onKeep={() => setAsking(null)}
          onRemove={() => {
            setAsking(null)
            onRemove(
              asking.entry.key,
              asking.variants.map((each) => each['@id']),
            )
          }}
        />
      )}
    </Box>
  )
}

/** Which variants cannot be sold without it, before anything happens to them. */
function Removal({
  entry,
  variants,
  onKeep,
  onRemove,
}: Asking & { onKeep: () => void; onRemove: () => void }) {
  const words = useWords('options')
  const shown = variants.slice(0, 8)
  const count = variants.length
  return (
    <Modal
      onClose={onKeep}
      title={words.remove(entry.title)}
      actions={
        <>
          <Button color="warning" onClick={onRemove}>
            {words.archiveAndRemove(entry.title, count)}
          </Button>
          <Button variant="contained" autoFocus onClick={onKeep}>
            {words.keep}
          </Button>
        </>
      }
    >
      <div>{words.inUse(entry.title, count)}</div>
      <Box component="ul" sx={{ my: 0.5, pl: 2.5 }}>
        {shown.map((each) => (
          <li key={each['@id']}>
            {variantName(each)}
            {each.sku !== null && each.title !== null && ` (${each.sku})`}
          </li>
        ))}
        {count > shown.length && <li>{words.more(count - shown.length)}</li>}
      </Box>
      <div>{words.breaks}</div>
    </Modal>
  )
}
