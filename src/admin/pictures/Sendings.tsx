import { Alert, Box, Button, LinearProgress, Stack, Typography } from '@mui/material'
import { useWords } from '../core/i18n.ts'
import type { Sending } from './uploads.ts'

/** The files on their way, each with how far it is, and those that were refused, each with why. */
export function Sendings({
  sendings,
  retry,
  forget,
}: {
  sendings: readonly Sending[]
  retry: (sending: Sending) => void
  forget: (id: string) => void
}) {
  const words = useWords('pictures')
  const { labelled } = useWords('fields')
  return (
    <Stack spacing={1}>
      {sendings.map((each) =>
        each.error === null ? (
          <Box key={each.id} sx={{ display: 'flex', alignItems: 'center', gap: 2 }}>
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <Typography variant="body2" noWrap>
                {each.file.name}
                {each.share === null && ` · ${words.waiting}`}
              </Typography>
              <LinearProgress
                aria-label={words.uploading(each.file.name)}
                variant="determinate"
                value={Math.round((each.share ?? 0) * 100)}
              />
            </Box>
            <Button size="small" onClick={() => forget(each.id)}>
              {words.stop}
            </Button>
          </Box>
        ) : (
          <Alert
            key={each.id}
            severity="error"
            sx={{ overflowWrap: 'anywhere' }}
            action={
              <>
                {each.mayRetry && (
                  <Button color="inherit" size="small" onClick={() => retry(each)}>
                    {words.retry}
                  </Button>
                )}
                <Button color="inherit" size="small" onClick={() => forget(each.id)}>
                  {words.dismiss}
                </Button>
              </>
            }
          >
            <strong>{each.file.name}</strong>
            {labelled('', each.error)}
          </Alert>
        ),
      )}
    </Stack>
  )
}
