import TranslateIcon from '@mui/icons-material/Translate'
import { Menu } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'

/** Links to the untranslated texts, if the tenant has more than one language. */
export function UntranslatedItem() {
  const words = useWords('languages')
  if (catalogue().locales.length === 1) return null
  return <Menu.Item to="/untranslated" primaryText={words.untranslated} leftIcon={<TranslateIcon />} />
}
