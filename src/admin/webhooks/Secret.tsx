import { Alert, Button, TextField as Line } from '@mui/material'
import { Modal } from '../layout/Modal.tsx'
import { useWebhookWords } from './words.ts'

/** A secret that is shown this once. */
export function Secret({ secret, onKept }: { secret: string | null; onKept: () => void }) {
  const words = useWebhookWords()
  return (
    <Modal
      open={secret !== null}
      title={words.keepSecret}
      actions={
        <>
          <Button onClick={() => navigator.clipboard?.writeText(secret ?? '')}>{words.copy}</Button>
          <Button variant="contained" onClick={onKept}>
            {words.kept}
          </Button>
        </>
      }
    >
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
    </Modal>
  )
}
