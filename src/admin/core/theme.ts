import type { Theme } from '@mui/material'
import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin'
import { ReachableRows } from '../layout/ReachableRows.tsx'
import { messages } from './language.ts'

const typography = {
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  h6: { fontWeight: 650, fontSize: '1.05rem' },
  button: { textTransform: 'none' as const, fontWeight: 600 },
}

/** No animation for users whose system asks for reduced motion. */
const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches

const calm: RaThemeOptions = {
  transitions: {
    create: () => 'none',
    duration: {
      shortest: 0,
      shorter: 0,
      short: 0,
      standard: 0,
      complex: 0,
      enteringScreen: 0,
      leavingScreen: 0,
    },
  },
  components: {
    MuiCssBaseline: {
      styleOverrides: {
        // Endless animations end at once, so that code that waits for their end continues.
        '*, *::before, *::after': {
          animationDuration: '0.01ms !important',
          animationIterationCount: '1 !important',
          scrollBehavior: 'auto !important',
        },
      },
    },
  },
}

/** A low window, such as one at 200 % zoom, has no room for bars that cover the focused input. */
export const inFlow = { '@media (max-height: 500px)': { '&&&': { position: 'static' } } }

/** The name of an icon button as a text in it. */
const buttonText = { content: 'attr(aria-label)', fontSize: '0.875rem', fontWeight: 600 }

const components = {
  MuiAppBar: { styleOverrides: { root: { boxShadow: 'none' } } },
  MuiButton: { defaultProps: { disableElevation: true } },
  MuiButtonBase: {
    defaultProps: { disableRipple: isCalm },
    // Seen on whatever it lies, which a ripple is not, least of all one that keeps still.
    styleOverrides: {
      root: { '&.Mui-focusVisible': { outline: '2px solid currentColor', outlineOffset: -2 } },
    },
  },
  MuiIconButton: {
    styleOverrides: {
      // On a phone, react-admin draws a button without an icon as an icon button, which would be empty.
      root: { '&[aria-label]:not(:has(*:not(.MuiTouchRipple-root)))::before': buttonText },
    },
  },
  MuiCircularProgress: { defaultProps: { 'aria-label': messages('core').loading } },
  MuiSnackbar: {
    styleOverrides: {
      // On a phone it is as wide as the bar with Save, and would cover it.
      root: ({ theme }: { theme: Theme }) => ({ [theme.breakpoints.down('sm')]: { bottom: 80 } }),
    },
  },
  MuiPaper: { styleOverrides: { rounded: { borderRadius: 12 } } },
  MuiTextField: { defaultProps: { variant: 'outlined' as const, size: 'small' as const } },
  // The explanation of a field is readable also if the field cannot be changed.
  MuiFormHelperText: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({
        '&.Mui-disabled': { color: theme.palette.text.secondary },
      }),
    },
  },
  MuiFormControl: { defaultProps: { variant: 'outlined' as const, size: 'small' as const } },
  // Its other uses archive, and name their button themselves.
  RaConfirm: { defaultProps: { confirm: 'ra.action.delete' } },
  RaToolbar: {
    styleOverrides: {
      // Save is always visible, however long the form.
      root: {
        borderTop: '1px solid',
        borderColor: 'rgba(128, 128, 128, 0.3)',
        '&.RaToolbar-desktopToolbar': {
          position: 'sticky',
          bottom: 0,
          zIndex: 3,
          marginTop: 0,
          padding: '0 16px',
          width: '100%',
        },
        ...inFlow,
      },
    },
  },
  // On a phone these are white bands, also where they hold nothing.
  RaTopToolbar: {
    styleOverrides: { root: { '&&': { backgroundColor: 'transparent' }, '&&:empty': { display: 'none' } } },
  },
  RaListToolbar: { styleOverrides: { root: { '&&': { backgroundColor: 'transparent' } } } },
  // Instructions have the contrast of other texts.
  RaEmpty: {
    styleOverrides: {
      root: ({ theme }: { theme: Theme }) => ({
        '& .RaEmpty-message': { color: theme.palette.text.secondary, marginTop: 32 },
        '& .RaEmpty-icon': { width: '4em', height: '4em' },
        '& .MuiTypography-h4': { fontSize: '1.35rem', fontWeight: 700, marginBottom: 8 },
        '& .RaEmpty-toolbar': { marginTop: 16 },
      }),
    },
  },
  RaSimpleFormIterator: {
    styleOverrides: {
      root: {
        '& .button-add': { borderRadius: 8 },
        '& .button-add::after': { ...buttonText, marginLeft: 8 },
      },
    },
  },
  // Other inputs have no margin, and are next to it.
  RaSelectInput: { defaultProps: { margin: 'none' as const } },
  MuiAutocomplete: { defaultProps: { fullWidth: true } },
  // It would select 250 rows of a longer list. The dialog of changes offers all rows that the list finds.
  RaSelectAllButton: { defaultProps: { limit: 0 } },
  // Nothing is chosen: the keyboard skips the hidden toolbar.
  RaBulkActionsToolbar: {
    styleOverrides: { root: { '& .RaBulkActionsToolbar-collapsed': { visibility: 'hidden' } } },
  },
  RaDatagrid: {
    defaultProps: { body: ReachableRows },
    styleOverrides: {
      root: {
        '& .row-link': { color: 'inherit', textDecoration: 'none' },
        '& .row-link:hover': { textDecoration: 'underline' },
        '& .RaDatagrid-row:focus-visible': { outline: '2px solid currentColor', outlineOffset: -2 },
        '& .RaDatagrid-headerCell': { fontWeight: 650, fontSize: '0.78rem', opacity: 0.75 },
        '& .RaDatagrid-rowCell': { paddingTop: 8, paddingBottom: 8 },
      },
    },
  },
}

const themeOf = (base: RaThemeOptions, palette: RaThemeOptions['palette']): RaThemeOptions => ({
  ...base,
  palette,
  shape: { borderRadius: 8 },
  typography,
  ...(isCalm && { transitions: calm.transitions }),
  components: { ...base.components, ...components, ...(isCalm && calm.components) },
})

export const lightTheme = themeOf(defaultLightTheme, {
  mode: 'light',
  primary: { main: '#0d6b63' },
  secondary: { main: '#0f766e', contrastText: '#fff' },
  // Material's own have too little contrast (WCAG 2.2, 1.4.3).
  warning: { main: '#9a4a00' },
  info: { main: '#01579b' },
  background: { default: '#f6f7f7', paper: '#fff' },
})

export const darkTheme = themeOf(defaultDarkTheme, {
  mode: 'dark',
  primary: { main: '#5eead4' },
  secondary: { main: '#115e59', contrastText: '#fff' },
  error: { main: '#ef9a9a', contrastText: '#000' },
  background: { default: '#101413', paper: '#181d1c' },
})
