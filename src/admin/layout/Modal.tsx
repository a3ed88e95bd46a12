import { Dialog, DialogActions, DialogContent, type DialogProps, DialogTitle } from '@mui/material'
import { type ReactNode, useId } from 'react'

/** A dialog that is named by its title. */
export function Modal({
  title,
  actions,
  children,
  ...props
}: Partial<Omit<DialogProps, 'title'>> & { title: ReactNode; actions?: ReactNode }) {
  const id = useId()
  return (
    <Dialog open fullWidth maxWidth="sm" {...props} aria-labelledby={id}>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>{children}</DialogContent>
      {actions && <DialogActions sx={{ flexWrap: 'wrap' }}>{actions}</DialogActions>}
    </Dialog>
  )
}
