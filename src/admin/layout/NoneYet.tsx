import { Alert, Button } from '@mui/material'
import type { ReactNode } from 'react'
import { Link, useCreatePath, useTranslate } from 'react-admin'

/** Says that a resource has no document yet, with a link to create the first. */
export function NoneYet({ resource, children }: { resource: string; children?: ReactNode }) {
  const translate = useTranslate()
  const path = useCreatePath()
  const action = (
    <Button color="inherit" size="small" component={Link} to={path({ resource, type: 'create' })}>
      {translate(`resources.${resource}.action.create`)}
    </Button>
  )
  return (
    <Alert severity="info" action={action} sx={{ mb: 2 }}>
      {children ?? translate(`resources.${resource}.empty`)}
    </Alert>
  )
}
