import { Alert, Box, Button, LinearProgress, Paper, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { useWords } from '../core/i18n.ts'
import { inFlow } from '../core/theme.ts'
import { Problem } from '../layout/Problem.tsx'
import type { useSaving } from './saving.ts'
import { useGridWords } from './words.ts'

/** The bar below a grid: what a save would do, its progress, its result, and its undo. */
export function SaveBar({
  saving: { preview, progress, problem, undoable, steps, cancel },
  label,
  canSave,
  canDrop,
  onDrop,
  children,
}: {
  saving: ReturnType<typeof useSaving>
  label: string
  canSave: boolean
  canDrop: boolean
  onDrop: () => void
  /** The state of the edits in words. */
  children: ReactNode
}) {
  const words = useGridWords()
  const bulk = useWords('bulk')
  const isBusy = progress !== null
  return (
    <Paper
      variant="outlined"
      square
      sx={{
        position: 'sticky',
        bottom: 0,
        zIndex: 3,
        mt: 1,
        p: 1,
        display: 'flex',
        gap: 1.5,
        flexWrap: 'wrap',
        alignItems: 'center',
        ...inFlow,
      }}
    >
      {preview ? (
        <>
          <Button
            variant="contained"
            disabled={isBusy || preview.writes.length === 0}
            onClick={steps.confirm}
          >
            {words.confirm}
          </Button>
          <Button disabled={isBusy} onClick={cancel}>
            {words.cancel}
          </Button>
          <Typography variant="body2" role="status">
            {preview.text}
          </Typography>
        </>
      ) : (
        <>
          <Button type="submit" variant="contained" disabled={!canSave || isBusy}>
            {isBusy ? words.saving : label}
          </Button>
          <Button disabled={!canDrop || isBusy} onClick={onDrop}>
            {words.drop}
          </Button>
          <Typography variant="body2" role="status">
            {children}
          </Typography>
        </>
      )}
      {progress && progress.of > 0 && (
        <Box sx={{ flexBasis: '100%' }}>
          <LinearProgress
            aria-label={label}
            variant="determinate"
            value={(100 * progress.done) / progress.of}
          />
          <Typography variant="body2">{bulk.progress(progress.done, progress.of)}</Typography>
        </Box>
      )}
      {undoable && !isBusy && (
        <Alert
          severity="success"
          sx={{ flexBasis: '100%' }}
          action={
            undoable.count > 0 && (
              <Button color="inherit" size="small" onClick={steps.undo}>
                {words.revert}
              </Button>
            )
          }
        >
          {undoable.text}
        </Alert>
      )}
      {problem && (
        <Box sx={{ flexBasis: '100%' }}>
          <Problem error={problem.error} onRetry={steps[problem.step]} />
        </Box>
      )}
    </Paper>
  )
}
