import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField as Line,
} from '@mui/material'
import { useWords } from '../core/i18n.ts'

/** A secret that is shown this once. */
export function Secret({ secret, onKept }: { secret: string | null; onKept: () => void }) {
  const words = useWords('webhooks')
  return (
    <Dialog open={secret !== null} fullWidth aria-labelledby="secret">
      <DialogTitle id="secret">{words.keepSecret}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {words.secretHint}
        </Alert>
        <Line
          value={secret ?? ''}
          fullWidth
          slotProps={{
            htmlInput: {
              readOnly: true,
              'aria-label': words.secret,
              style: { fontFamily: 'ui-monospace, monospace' },
            },
          }}
          onFocus={({ target }) => target.select()}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={() => navigator.clipboard?.writeText(secret ?? '')}>{words.copy}</Button>
        <Button variant="contained" onClick={onKept}>
          {words.kept}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
