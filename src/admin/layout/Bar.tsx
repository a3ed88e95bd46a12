import MenuBookIcon from '@mui/icons-material/MenuBook'
import { Button, MenuItem, Select, Typography } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AppBar, LoadingIndicator, TitlePortal, ToggleThemeButton } from 'react-admin'
import { catalogue, chooseLocale, currentLocale } from '../core/settings.ts'
import { ShopperButton } from './ShopperButton.tsx'

/** The name of the catalogue, the language and the shopper whose prices are shown. */
export function Bar() {
  return (
    <AppBar
      alwaysOn
      toolbar={
        <>
          <ToggleThemeButton />
          <LoadingIndicator />
        </>
      }
      sx={{ bgcolor: '#0f766e', color: '#fff' }}
    >
      <Typography variant="h6" component="span" sx={{ mr: 2, whiteSpace: 'nowrap' }}>
        {catalogue().name}
      </Typography>
      <TitlePortal sx={{ opacity: 0.8 }} />
      <ShopperButton />
      <Language />
      <Button color="inherit" size="small" href="/docs" startIcon={<MenuBookIcon />}>
        API
      </Button>
    </AppBar>
  )
}

/** The language in which texts are read and written. */
function Language() {
  const client = useQueryClient()
  const [locale, setLocale] = useState(currentLocale())
  const names = new Intl.DisplayNames('en', { type: 'language' })
  return (
    <Select
      value={locale}
      onChange={({ target }) => {
        chooseLocale(target.value)
        setLocale(target.value)
        client.resetQueries()
      }}
      size="small"
      variant="standard"
      disableUnderline
      inputProps={{ 'aria-label': 'Language of the catalogue' }}
      sx={{ color: 'inherit', mx: 1.5, '& .MuiSelect-icon': { color: 'inherit' }, fontSize: '0.875rem' }}
    >
      {catalogue().locales.map((each) => (
        <MenuItem key={each} value={each}>
          {names.of(each)}
        </MenuItem>
      ))}
    </Select>
  )
}
