import { Alert, Button } from '@mui/material'
import { mayRetry } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'

/** Says why something failed. If the same may succeed later, it says that no input is lost and offers to try again. */
export function Problem({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { nothingLost, tryAgain } = useWords('core')
  if (!mayRetry(error)) return <Alert severity="error">{error.message}</Alert>
  const action = (
    <Button color="inherit" size="small" onClick={onRetry}>
      {tryAgain}
    </Button>
  )
  return (
    <Alert severity="error" action={action}>
      {error.message} {nothingLost}
    </Alert>
  )
}
