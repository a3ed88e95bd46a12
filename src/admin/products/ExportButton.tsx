import DownloadIcon from '@mui/icons-material/GetApp'
import { lazy, Suspense, useState } from 'react'
import { Button } from 'react-admin'

const ExportDialog = lazy(async () => ({ default: (await import('./export.tsx')).ExportDialog }))

/** Exports products. Its code is loaded with the first click. */
export function ExportButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button label="ra.action.export" onClick={() => setOpen(true)}>
        <DownloadIcon />
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ExportDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
