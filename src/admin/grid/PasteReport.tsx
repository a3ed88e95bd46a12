import { Alert, AlertTitle, Button } from '@mui/material'
import { type BySku, mostCells } from './clipboard.ts'
import { useGridWords } from './words.ts'

/** SKUs of each kind that are listed. */
const mostSkus = 20

/** Says before a paste which of its lines cannot be used, or that it is too large. */
export function PasteReport({
  report,
  tooMany,
  onPaste,
  onClose,
}: {
  report: BySku | null
  /** The number of cells of a paste that is too large. */
  tooMany: number | null
  onPaste: () => void
  onClose: () => void
}) {
  const words = useGridWords()
  const list = (skus: readonly string[]) =>
    skus.slice(0, mostSkus).join(', ') + (skus.length > mostSkus ? ', …' : '')
  if (tooMany !== null || report === null) {
    return (
      <Alert severity="error" onClose={onClose} sx={{ mb: 1.5 }}>
        {words.tooManyCells(tooMany ?? 0, mostCells)}
      </Alert>
    )
  }
  const { unknown, duplicate, lines } = report
  return (
    <Alert severity="warning" sx={{ mb: 1.5, overflowWrap: 'anywhere' }}>
      <AlertTitle component="h2">{words.notPasted}</AlertTitle>
      {unknown.length > 0 && <div>{words.unknownSkus(unknown.length, list(unknown))}</div>}
      {duplicate.length > 0 && <div>{words.duplicateSkus(duplicate.length, list(duplicate))}</div>}
      {lines.length > 0 && (
        <Button size="small" variant="contained" onClick={onPaste} sx={{ mt: 1, mr: 1 }}>
          {words.pasteOthers(lines.length)}
        </Button>
      )}
      <Button size="small" onClick={onClose} sx={{ mt: 1 }}>
        {words.cancel}
      </Button>
    </Alert>
  )
}
