import ContentCopyIcon from '@mui/icons-material/ContentCopy'
import { useState } from 'react'
import { Button, useNotify, useRecordContext, useRedirect } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { duplicate } from './duplicate.ts'

/** Creates a draft with the texts, options, variants and prices of the product, and opens it. */
export function DuplicateButton() {
  const words = useWords('products')
  const notify = useNotify()
  const redirect = useRedirect()
  const record = useRecordContext()
  const [isRunning, setRunning] = useState(false)
  const run = async () => {
    setRunning(true)
    try {
      const created = await duplicate(String(record?.id), words.copyOf(record?.title))
      notify(words.duplicated, { type: 'success' })
      redirect('edit', 'products', created)
    } catch (error) {
      notify((error as Error).message, { type: 'error' })
    } finally {
      setRunning(false)
    }
  }
  return (
    <Button label={words.duplicate} size="small" disabled={isRunning} onClick={run} sx={{ ml: 'auto' }}>
      <ContentCopyIcon />
    </Button>
  )
}
