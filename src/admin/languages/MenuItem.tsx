import TranslateIcon from '@mui/icons-material/Translate'
import { Menu } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'
import { menuWords } from './menu-words.ts'

/** Leads to what is untranslated, where there is more than one language. */
export function UntranslatedItem() {
  const words = useWords(menuWords)
  if (catalogue().locales.length === 1) return null
  return <Menu.Item to="/untranslated" primaryText={words.untranslated} leftIcon={<TranslateIcon />} />
}
