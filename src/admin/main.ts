import { signIn } from './core/auth.ts'
import { removeDrafts } from './core/drafts.ts'
import { initialLanguage, messages } from './core/language.ts'
import { type Claims, currentToken, personOf, signInByLink, takeTokenFromAddress } from './core/session.ts'
import { catalogue, chooseLanguage, loadCatalogue, loadCollections } from './core/settings.ts'
import { signInPage } from './layout/sign-in.ts'

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

/** The pages are 25 times as large as the form for signing in, which is drawn before they run. */
const loadPages = () => import('./App.tsx')
const beginToLoadPages = () => void loadPages().catch(() => {})

/** Signs in a person whom the issuer has sent back. Returns why that failed; null if nothing failed. */
async function signInAtIssuer(): Promise<string | null> {
  if (catalogue().signIn === null) return null
  const { isBack, leaveForIssuer, openerInAddress, tokensOfCode } = await import('./core/issuer.ts')
  try {
    const opener = openerInAddress()
    if (opener !== null) await leaveForIssuer(opener)
    if (isBack()) {
      const { token, refresh } = await tokensOfCode()
      await signIn(token, refresh)
    }
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function open(root: HTMLElement, token: string | null): Promise<void> {
  if (currentToken() !== null || token !== null) beginToLoadPages()
  await Promise.all([chooseLanguage(initialLanguage()), loadCatalogue()])
  if (token !== null) signInByLink(token, mayReplaceSession)
  const refusal = location.search === '' ? null : await signInAtIssuer()
  // A link that is opened in this tab later.
  addEventListener('hashchange', () => {
    const next = takeTokenFromAddress()
    if (next === null) return
    signInByLink(next, mayReplaceSession)
    location.reload()
  })
  if (currentToken() === null) {
    // The form would be drawn later if the pages were loaded next to its few files.
    root.addEventListener('input', beginToLoadPages, { once: true })
    await signInPage(root, signIn, refusal)
  }
  const [{ startPages }] = await Promise.all([loadPages(), loadCollections()])
  await startPages(root)
}

// After a deployment, the files of the earlier build are gone. Without a network, a reload would only lose the page.
addEventListener('vite:preloadError', async () => {
  const response = await fetch('/admin', { cache: 'no-store' }).catch(() => null)
  if (response?.ok) location.reload()
})
const root = document.getElementById('root')!
open(root, takeTokenFromAddress()).catch((error: Error) => {
  const text = document.createElement('p')
  text.className = 'note'
  text.textContent = error.message
  root.replaceChildren(text)
})
