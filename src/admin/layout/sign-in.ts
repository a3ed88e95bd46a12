/** The form for signing in, in plain DOM: it is drawn before React and the pages are loaded. Its markup is in `index.html`. */
import { messages } from '../core/language.ts'
import { catalogue } from '../core/settings.ts'

export const contentOf = (id: string) => {
  const template = document.getElementById(id) as HTMLTemplateElement
  return template.content.firstElementChild!.cloneNode(true) as HTMLElement
}

export function write(within: HTMLElement, selector: string, text: string): void {
  within.querySelector(selector)!.textContent = text
}

/**
 * Shows the page for signing in at the issuer, or that asks for a token and says where one comes from. Resolves when the service has
 * accepted one.
 *
 * @param refusal why signing in at the issuer failed
 */
export async function signInPage(
  root: HTMLElement,
  signIn: (token: string) => Promise<unknown>,
  refusal: string | null,
): Promise<void> {
  const page = contentOf('sign-in')
  write(page, 'h1', catalogue().name)
  write(page, 'p', messages('layout').signInHint)
  // As chosen in the pages; without a choice, as the system.
  const wear = () => {
    page.style.colorScheme = localStorage.getItem('RaStore.theme')?.replaceAll('"', '') ?? ''
  }
  wear()
  addEventListener('storage', wear)
  const { promise, resolve } = Promise.withResolvers<void>()
  const form = tokenForm(async (token) => {
    await signIn(token)
    removeEventListener('storage', wear)
    resolve()
  })
  const section = page.querySelector('section')!
  if (catalogue().signIn === null) section.append(form)
  else {
    const { issuerForm, hint } = await import('./at-issuer.ts')
    write(page, 'p', hint())
    // A developer may paste a token as well.
    section.append(issuerForm(refusal), ...(catalogue().signsInByLink ? [form] : []))
  }
  root.replaceChildren(page)
  page.querySelector<HTMLElement>('textarea, button')!.focus()
  return promise
}

/** The input for a token. It shows why the service rejects one. */
export function tokenForm(signIn: (token: string) => Promise<unknown>): HTMLElement {
  const words = messages('layout')
  const { host } = catalogue()
  const isLocal = host.endsWith('.localhost')
  const form = contentOf('token-form')
  write(form, 'span', words.accessToken)
  write(form, 'button', words.signIn)
  write(form, '.source', isLocal ? words.tokenOnThisMachine : words.tokenElsewhere)
  write(form, 'pre', isLocal ? `npm run -s token -- --tenant ${host.split('.')[0]}` : '')
  return withAction(form, () => signIn(form.querySelector('textarea')!.value))
}

export function withAction(form: HTMLElement, act: () => Promise<unknown>): HTMLElement {
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    // A form of the page around a dialog would be sent as well.
    event.stopPropagation()
    write(form, '[role=alert]', '')
    const button = form.querySelector('button')!
    button.disabled = true
    await act().catch((error: Error) => showRefusal(form, error))
    button.disabled = false
  })
  return form
}

/** Shows in a form why signing in failed. */
export function showRefusal(form: HTMLElement, { message }: Error): void {
  write(form, '[role=alert]', message || messages('layout').refused)
}
