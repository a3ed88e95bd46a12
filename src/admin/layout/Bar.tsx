import CheckIcon from '@mui/icons-material/Check'
import LogoutIcon from '@mui/icons-material/Logout'
import MenuBookIcon from '@mui/icons-material/MenuBook'
import { Button, ListItemIcon, MenuItem, Select, Typography, useMediaQuery } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  AppBar,
  LoadingIndicator,
  TitlePortal,
  ToggleThemeButton,
  UserMenu,
  useGetIdentity,
  useGetResourceLabel,
  useLocaleState,
  useLogout,
} from 'react-admin'
import { useLocation } from 'react-router-dom'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale, languages } from '../core/language.ts'
import { catalogue, chooseLocale, currentLocale, offers } from '../core/settings.ts'
import { mayDropEdits } from '../core/unsaved.ts'
import { ShopperButton } from './ShopperButton.tsx'
import { useIsSmall } from './small.ts'

/** A window with room for few words. */
export const narrow = '@media (max-width: 899.95px)'

/** The name of the catalogue, the language and the shopper whose prices are shown. */
export function Bar() {
  const words = useWords('layout')
  const { identity } = useGetIdentity()
  const isSmall = useIsSmall()
  // Where the name is not shown, react-admin takes a key of its texts alone.
  const account = isSmall || !identity?.fullName ? 'ra.auth.user_menu' : words.account(identity.fullName)
  return (
    <AppBar
      alwaysOn
      userMenu={
        <UserMenu label={account}>
          <Languages />
          <SignOut />
        </UserMenu>
      }
      toolbar={
        <>
          <ToggleThemeButton />
          <LoadingIndicator />
        </>
      }
      sx={barStyle}
    >
      <Typography variant="h6" component="span" className="wide" sx={{ mr: 2, whiteSpace: 'nowrap' }}>
        {catalogue().name}
      </Typography>
      <PageTitle />
      <ShopperButton />
      <Language />
      <Button color="inherit" size="small" href="/docs" startIcon={<MenuBookIcon />} className="wide">
        API
      </Button>
    </AppBar>
  )
}

/** A narrow bar, as on a phone or at 200 % zoom, has icons instead of texts, so that the title fits. */
const barStyle = {
  bgcolor: '#0f766e',
  color: '#fff',
  [narrow]: {
    '& .wide': { display: 'none' },
    '& .RaUserMenu-userButton': { fontSize: 0, minWidth: 40 },
    '& .MuiButton-startIcon': { mx: 0 },
  },
}

/** The sections of pages that are no resource of the menu. */
const sections: Readonly<Record<string, string>> = {
  variants: 'products',
  price_grid: 'sale_offers',
  grid: 'products',
  sale: 'sale_offers',
}

/** The first heading of each page. The title of the tab is its text, the section and the catalogue. */
function PageTitle() {
  const label = useGetResourceLabel()
  const [, part = ''] = useLocation().pathname.split('/')
  const resource = sections[part] ?? part
  const section = offers(resource) ? label(resource) : ''
  useEffect(() => {
    const heading = document.getElementById('react-admin-title')
    if (!heading) return
    const write = () => {
      const parts = [heading.textContent, section, catalogue().name].filter(Boolean)
      document.title = [...new Set(parts)].join(' · ')
    }
    write()
    const changes = new MutationObserver(write)
    changes.observe(heading, { childList: true, characterData: true, subtree: true })
    return () => changes.disconnect()
  }, [section])
  return <TitlePortal variantMapping={{ h6: 'h1' }} sx={titleStyle} />
}

/** On a phone in two lines, so that "Content entries" and "Content types" differ. */
const titleStyle = {
  minWidth: 0,
  mr: 1,
  '& span': { display: 'inline' },
  '@media (max-width: 599.95px)': {
    display: '-webkit-box',
    WebkitBoxOrient: 'vertical',
    WebkitLineClamp: '2',
    whiteSpace: 'normal',
    fontSize: '0.85rem',
    lineHeight: 1.2,
  },
}

/** Asks before the token is forgotten: afterwards nothing could be saved any more. */
function SignOut() {
  const logout = useLogout()
  const words = useWords('layout')
  return (
    <MenuItem onClick={() => mayDropEdits() && logout()}>
      <ListItemIcon>
        <LogoutIcon fontSize="small" />
      </ListItemIcon>
      {words.signOut}
    </MenuItem>
  )
}

/** The languages of the interface, each by its own name. */
function Languages() {
  const [locale, setLocale] = useLocaleState()
  return languages.map((each) => (
    <MenuItem
      key={each.locale}
      lang={each.locale}
      selected={each.locale === locale}
      onClick={() => mayDropEdits() && setLocale(each.locale)}
    >
      <ListItemIcon>{each.locale === locale && <CheckIcon fontSize="small" />}</ListItemIcon>
      {each.name}
    </MenuItem>
  ))
}

/** The language in which texts are read and written. */
function Language() {
  const words = useWords('layout')
  const client = useQueryClient()
  const [locale, setLocale] = useState(currentLocale())
  const isNarrow = useMediaQuery(narrow)
  const names = new Intl.DisplayNames(interfaceLocale(), { type: 'language' })
  return (
    <Select
      value={locale}
      onChange={({ target }) => {
        if (!mayDropEdits()) return
        chooseLocale(target.value)
        setLocale(target.value)
        client.resetQueries()
      }}
      size="small"
      variant="standard"
      disableUnderline
      renderValue={(each) => (isNarrow ? each.slice(0, 2).toUpperCase() : names.of(each))}
      inputProps={{ 'aria-label': words.languageOfTheCatalogue }}
      sx={{
        color: 'inherit',
        mx: { xs: 0.5, sm: 1.5 },
        '& .MuiSelect-icon': { color: 'inherit' },
        fontSize: '0.875rem',
      }}
    >
      {catalogue().locales.map((each) => (
        <MenuItem key={each} value={each}>
          {names.of(each)}
        </MenuItem>
      ))}
    </Select>
  )
}
