import { type Theme, useMediaQuery } from '@mui/material'

/** Whether the window is as narrow as a phone's. */
export function useIsSmall(): boolean {
  return useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'))
}
