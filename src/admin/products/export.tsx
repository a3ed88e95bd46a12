import { Alert, Button, LinearProgress, Stack, TextField, Typography } from '@mui/material'
import { useRef, useState } from 'react'
import { downloadCSV, Link, useListContext } from 'react-admin'
import { everyMember, everyPage } from '../core/pages.ts'
import { currentShopper } from '../core/settings.ts'
import { useKeyWords } from '../layout/key-words.ts'
import { Modal } from '../layout/Modal.tsx'
import {
  csvHeader,
  csvOf,
  type ExportedPrice,
  type ExportedProduct,
  type ExportedVariant,
  type LeftOut,
  leftOut,
} from './csv.ts'
import { exportWords, useExportWords } from './export-words.ts'

type Progress = { readonly done: number; readonly total: number | undefined }

/** Every product that the list finds, on all its pages, as a file that the importer reads. */
export function ExportDialog({ onClose }: { onClose: () => void }) {
  const words = useExportWords()
  const { importProducts } = useKeyWords()
  const { filterValues, total } = useListContext()
  const [channel, setChannel] = useState(currentShopper().channel)
  const [currency, setCurrency] = useState('EUR')
  const [progress, setProgress] = useState<Progress | null>(null)
  const [notes, setNotes] = useState<readonly string[] | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const stop = useRef<AbortController | null>(null)
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  const run = async () => {
    const controller = new AbortController()
    stop.current = controller
    setNotes(null)
    setRefusal(null)
    setProgress({ done: 0, total: undefined })
    try {
      const target = { channel, currency, filter: filterValues, signal: controller.signal }
      const file = await written(target, setProgress)
      downloadCSV(file.text, `products-${channel}-${currency}`)
      setNotes(file.notes)
    } catch (error) {
      if (!controller.signal.aborted) setRefusal((error as Error).message)
    } finally {
      setProgress(null)
    }
  }
  return (
    <Modal
      onClose={close}
      title={words.exportProducts}
      actions={
        <>
          <Button component={Link} to="/import" onClick={close}>
            {importProducts}
          </Button>
          <Button onClick={close}>{progress ? words.stop : words.close}</Button>
          <Button
            variant="contained"
            disabled={progress !== null || channel === '' || !/^[A-Z]{3}$/.test(currency)}
            onClick={run}
          >
            {words.writeFile}
          </Button>
        </>
      }
    >
      <Typography sx={{ mb: 2 }}>{words.exported(total)}</Typography>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
        <TextField
          label={words.pricesOfChannel}
          value={channel}
          onChange={({ target }) => setChannel(target.value.trim())}
        />
        <TextField
          label={words.inCurrency}
          value={currency}
          onChange={({ target }) => setCurrency(target.value.trim().toUpperCase())}
        />
      </Stack>
      {progress && (
        <Stack spacing={1} sx={{ mt: 2 }}>
          <LinearProgress
            aria-label={words.export}
            {...(progress.total
              ? { variant: 'determinate', value: Math.min(100, (100 * progress.done) / progress.total) }
              : {})}
          />
          <Typography variant="body2">{words.exportedOf(progress.done, progress.total)}</Typography>
        </Stack>
      )}
      {refusal !== null && (
        <Alert severity="error" sx={{ mt: 2 }}>
          {refusal} {words.noFile}
        </Alert>
      )}
      {notes !== null && (
        <Alert severity={notes.length > 1 ? 'warning' : 'success'} sx={{ mt: 2 }}>
          {notes.map((note) => (
            <div key={note}>{note}</div>
          ))}
        </Alert>
      )}
    </Modal>
  )
}

type Target = {
  readonly channel: string
  readonly currency: string
  readonly filter: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

async function written(
  { channel, currency, filter, signal }: Target,
  onProgress: (progress: Progress) => void,
): Promise<{ text: string; notes: string[] }> {
  const prices = await plainPrices(channel, currency, signal)
  const query = new URLSearchParams({ itemsPerPage: '100', 'order[createdAt]': 'asc' })
  for (const [name, value] of Object.entries(filter)) if (value != null) query.set(name, String(value))
  const lines: string[] = []
  const missing = new Map<LeftOut, number>()
  let total: number | undefined
  for await (const page of everyPage<ExportedProduct>(`/api/products?${query}`, signal)) {
    total ??= page.total
    for (const listed of page.members) {
      const product = await whole(listed, signal)
      lines.push(csvOf(product, channel, (variant) => prices.get(variant)))
      for (const each of leftOut(product)) missing.set(each, (missing.get(each) ?? 0) + 1)
    }
    onProgress({ done: lines.length, total })
  }
  const words = exportWords()
  const notes = [...missing].map(([what, count]) => words.leftOut(count, words[what]))
  return { text: csvHeader + lines.join(''), notes: [words.written(lines.length), ...notes] }
}

/** A list shows the first variants alone where there are very many. */
async function whole(product: ExportedProduct, signal: AbortSignal): Promise<ExportedProduct> {
  if (product.variants.length >= product.variantsTotal) return product
  const path = `${product['@id']}/variants?itemsPerPage=100`
  return { ...product, variants: await everyMember<ExportedVariant>(path, signal) }
}

type Offer = ExportedPrice & {
  readonly variant: string | { readonly '@id': string }
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly validFrom: string | null
  readonly validUntil: string | null
  readonly priority: number
  readonly minQuantity: number
}

/** The prices that the importer would write: one piece, everywhere in the channel, at all times, no priority. */
async function plainPrices(
  channel: string,
  currency: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ExportedPrice>> {
  const found = new Map<string, Offer>()
  const path = `/api/sale_offers?itemsPerPage=100&status=ACTIVE&currency=${currency}`
  for await (const { members } of everyPage<Offer>(path, signal)) {
    for (const offer of members) {
      const { countries, validFrom, validUntil, minQuantity, priority } = offer
      const isPlain =
        countries.length === 0 && !validFrom && !validUntil && minQuantity === 1 && priority === 0
      if (!isPlain || (offer.channel !== channel && offer.channel !== null)) continue
      const variant = typeof offer.variant === 'string' ? offer.variant : offer.variant['@id']
      if (found.get(variant)?.channel !== channel) found.set(variant, offer)
    }
  }
  return found
}
