import { Alert, Button, Typography } from '@mui/material'
import { useTranslateLabel } from 'react-admin'
import { departure } from '../core/data-provider.ts'
import { useWords } from '../core/i18n.ts'
import { readable } from '../fields/readable.ts'
import { Modal } from './Modal.tsx'

/** Shows concurrent changes before a document is deleted. */
export function Departure() {
  const words = useWords('layout')
  const label = useTranslateLabel()
  const pending = departure.useAsked()
  if (!pending) return null
  const { asked, answer } = pending
  return (
    <Modal
      onClose={() => answer(false)}
      title={words.somebodyElse}
      actions={
        <>
          <Button color="error" onClick={() => answer(true)}>
            {words.takeAway}
          </Button>
          <Button variant="contained" autoFocus onClick={() => answer(false)}>
            {words.leaveIt}
          </Button>
        </>
      }
    >
      <Alert severity="info" sx={{ mb: 2 }}>
        {words.nothingTakenAwayYet}
      </Alert>
      {asked.found.map(({ path, before, theirs }) => (
        <Typography key={path} sx={{ mb: 1, overflowWrap: 'anywhere' }}>
          <strong>{label({ resource: asked.resource, source: path })}</strong> {words.was(readable(before))},{' '}
          {words.now(readable(theirs))}
        </Typography>
      ))}
    </Modal>
  )
}
