import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { spokenI18nProvider } from './core/i18n.ts'
import { takeTokenFromAddress } from './core/session.ts'
import { loadCatalogue } from './core/settings.ts'

takeTokenFromAddress()
// The same link again, in a tab that is open already.
addEventListener('hashchange', () => {
  if (takeTokenFromAddress()) location.reload()
})
// A page of a build that is no more: the new one has its own.
addEventListener('vite:preloadError', () => location.reload())
const root = createRoot(document.getElementById('root')!)
try {
  const [i18nProvider] = await Promise.all([spokenI18nProvider(), loadCatalogue()])
  root.render(<App i18nProvider={i18nProvider} />)
} catch (error) {
  root.render(<p style={{ margin: '4rem', fontFamily: 'system-ui' }}>{(error as Error).message}</p>)
}
