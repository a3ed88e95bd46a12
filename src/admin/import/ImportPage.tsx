import CloudUploadIcon from '@mui/icons-material/CloudUpload'
import {
  Alert,
  Box,
  Button,
  Checkbox,
  FormControlLabel,
  LinearProgress,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { downloadCSV, Title } from 'react-admin'
import { useDropzone } from 'react-dropzone'
import { type Column, columnNames } from '../../local/import/columns.ts'
import type { Remark } from '../../local/import/product.ts'
import { reasonText, rejectedFile } from '../../local/import/rejected.ts'
import { currentShopper } from '../core/settings.ts'
import { Choice } from '../fields/Choice.tsx'
import { DataTable } from '../layout/DataTable.tsx'
import { Problem } from '../layout/Problem.tsx'
import { Section } from '../layout/Section.tsx'
import { useUnsaved } from '../layout/unsaved.ts'
import {
  isComplete,
  layoutChoices,
  type Mapping,
  maximumBytes,
  maximumLines,
  type OpenedFile,
  openFile,
  placesIn,
  suggestedMapping,
} from './read.ts'
import { type Rejected, useImport } from './useImport.ts'
import { useImportWords } from './words.ts'

/** Imports the products of a CSV file: its columns are mapped, a dry run checks it, and the import can be undone. */
export function ImportPage() {
  const words = useImportWords()
  const [file, setFile] = useState<OpenedFile | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const open = async (chosen: File) => {
    setFault(null)
    setReading(true)
    try {
      const opened = chosen.size > maximumBytes ? null : await openFile(chosen)
      if (opened === null || opened.rows > maximumLines) setFault(words.limits)
      else setFile(opened)
    } catch {
      setFault(words.noColumns)
    } finally {
      setReading(false)
    }
  }
  return (
    <Box sx={{ pt: 2, maxWidth: 1000 }}>
      <Title title={words.title} />
      <Typography sx={{ mb: 2 }}>{words.intro}</Typography>
      {file ? (
        <ImportForm key={file.name} file={file} onClose={() => setFile(null)} />
      ) : (
        <DropZone onFile={open} isDisabled={isReading} />
      )}
      {isReading && <Typography role="status">{words.reading}</Typography>}
      {fault && (
        <Alert severity="error" sx={{ mt: 2 }}>
          {fault}
        </Alert>
      )}
    </Box>
  )
}

function DropZone({ onFile, isDisabled }: { onFile: (file: File) => void; isDisabled: boolean }) {
  const words = useImportWords()
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    multiple: false,
    noClick: true,
    noKeyboard: true,
    disabled: isDisabled,
    onDrop: ([file]) => file && onFile(file),
  })
  return (
    <Box
      {...getRootProps({ tabIndex: undefined })}
      sx={{
        border: '2px dashed',
        borderColor: isDragActive ? 'primary.main' : 'divider',
        bgcolor: isDragActive ? 'action.hover' : undefined,
        borderRadius: 2,
        p: 4,
        textAlign: 'center',
      }}
    >
      <input {...getInputProps({ 'aria-hidden': true })} />
      <CloudUploadIcon color="action" />
      <Typography>{words.drop}</Typography>
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {words.limits}
      </Typography>
      <Button variant="contained" disabled={isDisabled} onClick={open}>
        {words.choose}
      </Button>
    </Box>
  )
}

/** The choices for a file, and what its import has done so far. */
function ImportForm({ file, onClose }: { file: OpenedFile; onClose: () => void }) {
  const words = useImportWords()
  const { header, samples } = file
  const [channel, setChannel] = useState(currentShopper().channel)
  const [currency, setCurrency] = useState('EUR')
  const [decimalComma, setDecimalComma] = useState(file.hasDecimalCommas)
  const [layout, setLayout] = useState(file.layout)
  const [changed, setChanged] = useState<Readonly<Record<number, readonly Column[]>>>({})
  const suggested = suggestedMapping(header, { layout, currency })
  const mapping: Mapping = suggested.map((fields, at) => changed[at] ?? fields)
  const places = placesIn(mapping, header, { layout, currency })
  const work = useImport(file, { layout, currency, decimalComma, places }, { channel, currency })
  const { state, progress, problem } = work
  const isBusy = progress !== null
  useUnsaved(isBusy, work.cancel)
  const isEditable = !isBusy && state.step === 'mapped'
  const isReady = isComplete(mapping, layout) && channel !== '' && /^[A-Z]{3}$/.test(currency)
  return (
    <Stack spacing={2}>
      <Stack direction="row" spacing={2} sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography>{words.opened(file.name, file.rows, file.encoding)}</Typography>
        <Button size="small" disabled={isBusy} onClick={onClose}>
          {words.otherFile}
        </Button>
      </Stack>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
        <Choice
          label={words.layout}
          value={layout}
          disabled={!isEditable}
          choices={layoutChoices.map((name) => [name, words.layouts[name]] as const)}
          onChoose={(next) => {
            setLayout(next)
            setChanged({})
          }}
          sx={{ minWidth: 200 }}
        />
        <TextField
          label={words.channel}
          value={channel}
          disabled={!isEditable}
          onChange={({ target }) => setChannel(target.value.trim())}
        />
        <TextField
          label={words.currency}
          value={currency}
          disabled={!isEditable}
          onChange={({ target }) => setCurrency(target.value.trim().toUpperCase())}
        />
      </Stack>
      <FormControlLabel
        control={<Checkbox checked={decimalComma} onChange={(_, isChecked) => setDecimalComma(isChecked)} />}
        label={words.decimalComma}
        disabled={!isEditable}
      />
      {state.step === 'mapped' && (
        <DataTable
          label={words.columns}
          rows={header.map((name, at) => ({ name, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            { title: words.column, component: 'th', scope: 'row', content: ({ name }) => name },
            {
              title: words.example,
              content: ({ at }) => (
                <Typography variant="body2" noWrap sx={{ maxWidth: 260 }}>
                  {samples[at]}
                </Typography>
              ),
            },
            {
              title: words.field,
              content: ({ name, at }) => (
                <FieldChoice
                  label={words.fieldOf(name)}
                  fields={mapping[at] ?? []}
                  suggested={suggested[at] ?? []}
                  isDisabled={isBusy}
                  onChoose={(fields) => setChanged({ ...changed, [at]: fields })}
                />
              ),
            },
          ]}
        />
      )}
      {!isComplete(mapping, layout) && (
        <Alert severity="info">{layout === 'shopify' ? words.needsHandle : words.needsKey}</Alert>
      )}
      {state.step === 'mapped' && !isBusy && (
        <Box>
          <Button variant="contained" disabled={!isReady} onClick={work.check}>
            {words.check}
          </Button>
        </Box>
      )}
      {state.step === 'unlinked' && !isBusy && (
        <Alert
          severity="info"
          action={
            <Button color="inherit" size="small" onClick={work.link}>
              {words.link}
            </Button>
          }
        >
          {words.linkFirst(state.unlinked)}
        </Alert>
      )}
      {progress && (
        <Box>
          <LinearProgress
            aria-label={words.steps[progress.step]}
            {...(progress.of > 0
              ? { variant: 'determinate', value: Math.min(100, (100 * progress.done) / progress.of) }
              : {})}
          />
          <Stack direction="row" spacing={2} sx={{ alignItems: 'center' }}>
            <Typography variant="body2" role="status">
              {words.steps[progress.step]}
              {progress.of > 0 && ` ${words.progress(progress.done, progress.of)}`}
            </Typography>
            {progress.step !== 'undo' && (
              <Button size="small" onClick={work.cancel}>
                {words.cancel}
              </Button>
            )}
          </Stack>
        </Box>
      )}
      {problem && <Problem error={problem.error} onRetry={problem.retry} />}
      {state.step === 'checked' && (
        <>
          <Alert severity={state.rejected.products > 0 ? 'warning' : 'info'}>
            {words.would(state.counts)}
          </Alert>
          <Rejections file={file} rejected={state.rejected} />
          <Stack direction="row" spacing={2}>
            <Button variant="contained" disabled={isBusy || state.upserts.length === 0} onClick={work.run}>
              {words.run(state.upserts.length)}
            </Button>
            <Button disabled={isBusy} onClick={work.change}>
              {words.cancel}
            </Button>
          </Stack>
        </>
      )}
      {state.step === 'imported' && (
        <>
          <Alert
            severity={state.rejected.products > 0 || state.left > 0 ? 'warning' : 'success'}
            action={
              state.undone === null && (
                <Button color="inherit" size="small" disabled={isBusy} onClick={work.undo}>
                  {words.undo}
                </Button>
              )
            }
          >
            {state.undone ? words.undone(state.undone.done, state.undone.left) : words.did(state.counts)}
            {state.left > 0 && ` ${words.left(state.left)}`}
          </Alert>
          <Rejections file={file} rejected={state.rejected} />
        </>
      )}
    </Stack>
  )
}

/** Chooses the field of a column, or the fields that the layout gives it. */
function FieldChoice({
  label,
  fields,
  suggested,
  isDisabled,
  onChoose,
}: {
  label: string
  fields: readonly Column[]
  suggested: readonly Column[]
  isDisabled: boolean
  onChoose: (fields: readonly Column[]) => void
}) {
  const words = useImportWords()
  const choices: (readonly Column[])[] = [[], ...columnNames.map((column) => [column])]
  const all = suggested.length > 1 ? [...choices, suggested] : choices
  const nameOf = (columns: readonly Column[]) =>
    columns.length === 0 ? words.notImported : words.several(columns.map((column) => words.fields[column]))
  return (
    <TextField
      select
      size="small"
      margin="none"
      fullWidth
      value={fields.join()}
      disabled={isDisabled}
      onChange={({ target }) => onChoose(all.find((columns) => columns.join() === target.value) ?? [])}
      slotProps={{ select: { native: true }, htmlInput: { 'aria-label': label } }}
    >
      {all.map((columns) => (
        <option key={columns.join()} value={columns.join()}>
          {nameOf(columns)}
        </option>
      ))}
    </TextField>
  )
}

/** Rejections that are shown. The file has all. */
const shownRemarks = 50

/** The rejected rows with their reasons, and the file in which they are corrected. */
function Rejections({ file, rejected }: { file: OpenedFile; rejected: Rejected }) {
  const words = useImportWords()
  const { remarks, rows, sheet } = rejected
  if (rows.size === 0) return null
  const shown = remarks.toSorted((a, b) => a.line - b.line).slice(0, shownRemarks)
  const rest = remarks.length - shown.length
  const download = () => {
    const name = file.name.replace(/(?:\.rejected)?(?:\.\w+)?$/, '')
    downloadCSV(rejectedFile(sheet, rows), `${name}.rejected`)
  }
  return (
    <Section title={words.rejected}>
      <DataTable<Remark>
        label={words.rejected}
        rows={shown}
        keyOf={(remark) => `${remark.line} ${remark.column} ${remark.message}`}
        columns={[
          { title: words.line, content: ({ line }) => line },
          { title: words.product, content: ({ handle }) => handle },
          { title: words.reason, content: (remark) => reasonText(remark) },
        ]}
      />
      {rest > 0 && <Typography variant="body2">{words.more(rest)}</Typography>}
      <Typography variant="body2" sx={{ my: 1 }}>
        {words.whole}
      </Typography>
      <Button variant="outlined" onClick={download}>
        {words.download}
      </Button>
    </Section>
  )
}
