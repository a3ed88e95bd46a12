import { createTheme, ThemeProvider, useTheme } from '@mui/material'
import { type ReactNode, useMemo } from 'react'
import { useWords } from '../core/i18n.ts'

/** The texts of Material's components, in the language of the interface. */
export function Wording({ children }: { children: ReactNode }) {
  const { loading, open, close, clear, nothingFound } = useWords('core')
  const theme = useTheme()
  const worded = useMemo(
    () =>
      createTheme(theme, {
        components: {
          MuiCircularProgress: { defaultProps: { 'aria-label': loading } },
          MuiAutocomplete: {
            defaultProps: {
              openText: open,
              closeText: close,
              clearText: clear,
              loadingText: loading,
              noOptionsText: nothingFound,
            },
          },
        },
      }),
    [theme, loading, open, close, clear, nothingFound],
  )
  return <ThemeProvider theme={worded}>{children}</ThemeProvider>
}
