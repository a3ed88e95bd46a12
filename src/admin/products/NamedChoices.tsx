import { ThemeProvider } from '@mui/material'
import type { ReactNode } from 'react'
import type { RaThemeOptions } from 'react-admin'
import { useWords } from '../core/i18n.ts'

/**
 * Names the checkboxes of a table's rows: react-admin gives the name to what is around them, which has no role that could have one, and
 * none to the checkbox.
 */
export function NamedChoices({ children }: { children: ReactNode }) {
  const words = useWords('products')
  const named = (theme: RaThemeOptions) => ({
    ...theme,
    components: {
      ...theme.components,
      MuiCheckbox: { defaultProps: { role: 'group', slotProps: { input: { 'aria-label': words.select } } } },
    },
  })
  return <ThemeProvider theme={named}>{children}</ThemeProvider>
}
