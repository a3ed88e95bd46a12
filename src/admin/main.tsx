import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { removeDrafts } from './core/drafts.ts'
import { spokenI18nProvider } from './core/i18n.ts'
import { messages } from './core/language.ts'
import { type Claims, personOf, signInByLink, takeTokenFromAddress } from './core/session.ts'
import { loadCatalogue } from './core/settings.ts'

/** Asks before a link replaces a session. Only a session that has expired is renewed for the same person without a question. */
function mayReplaceSession(next: Claims, before: Claims | null): boolean {
  const isSamePerson = personOf(next) === personOf(before)
  const isOver = before !== null && before.exp * 1000 < Date.now()
  const words = messages('core')
  const question = words.replaceSession(next.sub, before?.sub ?? words.somebody)
  if (!(isSamePerson && isOver) && !window.confirm(question)) return false
  if (!isSamePerson) removeDrafts()
  return true
}

const token = takeTokenFromAddress()
// After a deployment, the files of the earlier build are gone. Without a network, a reload would only lose the page.
addEventListener('vite:preloadError', async () => {
  const response = await fetch('/admin', { cache: 'no-store' }).catch(() => null)
  if (response?.ok) location.reload()
})
const root = createRoot(document.getElementById('root')!)
try {
  const [i18nProvider] = await Promise.all([spokenI18nProvider(), loadCatalogue()])
  if (token !== null) signInByLink(token, mayReplaceSession)
  // A link that is opened in this tab later.
  addEventListener('hashchange', () => {
    const next = takeTokenFromAddress()
    if (next === null) return
    signInByLink(next, mayReplaceSession)
    location.reload()
  })
  root.render(<App i18nProvider={i18nProvider} />)
} catch (error) {
  root.render(<p style={{ margin: '4rem', fontFamily: 'system-ui' }}>{(error as Error).message}</p>)
}
