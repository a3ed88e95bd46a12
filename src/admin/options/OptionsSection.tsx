import EditIcon from '@mui/icons-material/Edit'
import { Box, Button, Chip, Typography } from '@mui/material'
import { useRecordContext, useRefresh } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { useDialogDraft } from '../layout/draft.ts'
import { Section } from '../layout/Section.tsx'
import { OptionsDialog } from './OptionsDialog.tsx'

type Shown = {
  readonly '@id': string
  readonly title: string | null
  readonly values?: readonly { readonly '@id': string; readonly title: string }[]
  readonly valuesTotal?: number
}

/** The options of a product with their values, and the way to change them. */
export function OptionsSection() {
  const words = useWords('options')
  const record = useRecordContext()
  const refresh = useRefresh()
  const dialog = useDialogDraft('options')
  if (!record) return null
  const options = (record.options ?? []) as readonly Shown[]
  return (
    <Section title={words.options}>
      {options.length === 0 && <Typography color="text.secondary">{words.none}</Typography>}
      {options.map((option) => (
        <Box key={option['@id']} sx={{ mb: 1.5 }}>
          <Typography sx={{ fontWeight: 600 }}>{option.title}</Typography>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
            {option.values?.map((each) => (
              <Chip key={each['@id']} size="small" variant="outlined" label={each.title} />
            ))}
            {option.valuesTotal !== undefined && <Chip size="small" label={option.valuesTotal} />}
            {option.values?.length === 0 && (
              <Typography variant="body2" color="text.secondary">
                {words.noValues}
              </Typography>
            )}
          </Box>
        </Box>
      ))}
      {record.status !== 'ARCHIVED' && dialog.left === null && (
        <Button size="small" startIcon={<EditIcon />} onClick={dialog.open}>
          {words.edit}
        </Button>
      )}
      {(dialog.isOpen || dialog.left !== null) && (
        <OptionsDialog product={String(record.id)} dialog={dialog} onSaved={refresh} />
      )}
    </Section>
  )
}
