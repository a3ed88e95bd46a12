import BrokenImageIcon from '@mui/icons-material/BrokenImage'
import CloudUploadIcon from '@mui/icons-material/CloudUpload'
import DeleteIcon from '@mui/icons-material/Delete'
import { Alert, Box, Button, Chip, IconButton, Link, Stack, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { required, TextInput } from 'react-admin'
import { type FileRejection, useDropzone } from 'react-dropzone'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'
import { Thumbnail } from '../fields/Picture.tsx'
import { SortableList } from '../sorting/SortableList.tsx'
import { Sendings } from './Sendings.tsx'
import { useUploads } from './uploads.ts'

type Media = { readonly url: string | null; readonly alt: string | null; readonly type: string }
type Form = { media: Media[] }

/** The pictures of a product or a variant in their order: uploaded where there is a bucket for them, else by address. */
export function PicturesInput() {
  const words = useWords('pictures')
  const { control } = useFormContext<Form>()
  const { fields, append, insert, move, remove } = useFieldArray({ control, name: 'media', keyName: 'key' })
  const [removed, setRemoved] = useState<{ readonly index: number; readonly item: Media } | null>(null)
  const nameOf = ({ alt }: Media, index: number) => (alt ? `“${alt}”` : words.picture(index + 1))
  const add = (url: string | null) => append({ url, alt: null, type: 'IMAGE' }, { shouldFocus: url === null })
  const takeAway = (index: number) => {
    const [item] = fields.slice(index)
    if (item) setRemoved({ index, item: { url: item.url, alt: item.alt, type: item.type } })
    remove(index)
  }
  const uploads = useUploads(add, words.unreachable)
  return (
    <Stack spacing={2} sx={{ width: '100%' }}>
      {fields.length === 0 && <Typography color="text.secondary">{words.none}</Typography>}
      <SortableList
        items={fields}
        label={words.pictures}
        keyOf={({ key }) => key}
        nameOf={nameOf}
        onMove={move}
      >
        {(item, index, handle) => (
          <Picture
            index={index}
            handle={handle}
            name={nameOf(item, index)}
            onRemove={() => takeAway(index)}
          />
        )}
      </SortableList>
      {removed && (
        <Alert
          severity="info"
          onClose={() => setRemoved(null)}
          action={
            <Button
              color="inherit"
              size="small"
              onClick={() => {
                insert(Math.min(removed.index, fields.length), removed.item, { shouldFocus: false })
                setRemoved(null)
              }}
            >
              {words.undo}
            </Button>
          }
        >
          {words.removed(nameOf(removed.item, removed.index))}
        </Alert>
      )}
      <Sendings {...uploads} />
      {catalogue().pictures && <DropZone onFile={uploads.add} />}
      <Box>
        <Button size="small" variant="outlined" onClick={() => add(null)}>
          {words.add}
        </Button>
      </Box>
    </Stack>
  )
}

function Picture({
  index,
  handle,
  name,
  onRemove,
}: {
  index: number
  handle: ReactNode
  name: string
  onRemove: () => void
}) {
  const words = useWords('pictures')
  const item: Partial<Media> = useWatch({ name: `media.${index}` }) ?? {}
  const { url = null, type = 'IMAGE' } = item
  const kinds: Readonly<Record<string, string>> = {
    VIDEO: words.film,
    MODEL_3D: words.model,
    DOCUMENT: words.document,
  }
  const kind = kinds[type]
  const isUploaded = url?.startsWith(`${location.origin}/pictures/`) ?? false
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'flex-start',
        gap: 1,
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        p: 1,
      }}
    >
      {handle}
      <Thumbnail url={kind === undefined ? url : null} alt="" sx={{ width: 72, height: 72 }}>
        <BrokenImageIcon color="disabled" />
      </Thumbnail>
      <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
        {kind !== undefined && <Chip size="small" label={kind} sx={{ mb: 1 }} />}
        <TextInput
          source={`media.${index}.alt`}
          label={words.alt}
          helperText={index === 0 && words.altHelp}
          fullWidth
          margin="none"
        />
        {isUploaded ? (
          <Link
            href={url ?? ''}
            target="_blank"
            rel="noreferrer"
            variant="caption"
            sx={{
              display: 'block',
              overflow: 'hidden',
              textOverflow: 'ellipsis',
              whiteSpace: 'nowrap',
              mt: 0.5,
            }}
          >
            {url?.split('/').at(-1)}
          </Link>
        ) : (
          <TextInput
            source={`media.${index}.url`}
            label={words.address}
            validate={required()}
            helperText={false}
            fullWidth
            sx={{ mt: 1 }}
            margin="none"
          />
        )}
      </Box>
      <IconButton aria-label={words.remove(name)} onClick={onRemove} size="small">
        <DeleteIcon fontSize="small" />
      </IconButton>
    </Box>
  )
}

/** Where files are dropped, or chosen. */
function DropZone({ onFile }: { onFile: (file: File, error?: string) => void }) {
  const words = useWords('pictures')
  const { types, most } = catalogue().pictures ?? { types: [], most: 0 }
  const megabytes = Math.floor(most / 1_000_000)
  const reasonOf = ({ errors }: FileRejection) =>
    errors.some(({ code }) => code === 'file-too-large') ? words.tooLarge(megabytes) : words.wrongFormat
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    accept: Object.fromEntries(types.map((type) => [type, []])),
    maxSize: most,
    noClick: true,
    noKeyboard: true,
    onDrop(accepted, rejected) {
      for (const file of accepted) onFile(file)
      for (const each of rejected) onFile(each.file, reasonOf(each))
    },
  })
  return (
    <Box
      {...getRootProps({ tabIndex: undefined })}
      sx={{
        border: '2px dashed',
        borderColor: isDragActive ? 'primary.main' : 'divider',
        bgcolor: isDragActive ? 'action.hover' : undefined,
        borderRadius: 2,
        p: 2,
        textAlign: 'center',
      }}
    >
      <input {...getInputProps({ 'aria-hidden': true })} />
      <CloudUploadIcon color="action" />
      <Typography>{words.drop}</Typography>
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {words.formats(megabytes)}
      </Typography>
      <Button variant="contained" size="small" onClick={open}>
        {words.choose}
      </Button>
    </Box>
  )
}
