import { Alert, Button } from '@mui/material'
import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { mayRetry } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'

const failed = { type: 'active', predicate: ({ state }: Query) => mayRetry(state.error) } as const

/** Says why a part of the page could not be read, and reads it again on request. */
export function FailedReads() {
  const { tryAgain } = useWords('core')
  const client = useQueryClient()
  const cache = client.getQueryCache()
  const message = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(notifyManager.batchCalls(listener)), [cache]),
    () => cache.findAll(failed)[0]?.state.error?.message ?? null,
  )
  if (message === null) return null
  return (
    <Alert
      severity="warning"
      sx={{ my: 1 }}
      action={
        <Button color="inherit" size="small" onClick={() => client.refetchQueries(failed)}>
          {tryAgain}
        </Button>
      }
    >
      {message}
    </Alert>
  )
}
