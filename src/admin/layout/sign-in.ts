/** The form for signing in, in plain DOM: it is drawn before React and the pages are loaded. Its markup is in `index.html`. */
import { messages } from '../core/language.ts'
import { catalogue } from '../core/settings.ts'

const contentOf = (id: string) => {
  const template = document.getElementById(id) as HTMLTemplateElement
  return template.content.firstElementChild!.cloneNode(true) as HTMLElement
}

function write(within: HTMLElement, selector: string, text: string): void {
  within.querySelector(selector)!.textContent = text
}

/** Shows the page that asks for a token, and says where one comes from. Resolves when the service has accepted one. */
export function signInPage(root: HTMLElement, signIn: (token: string) => Promise<unknown>): Promise<void> {
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
  page.querySelector('section')!.append(form)
  root.replaceChildren(page)
  form.querySelector('textarea')!.focus()
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
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    // A form of the page around a dialog would be sent as well.
    event.stopPropagation()
    write(form, '[role=alert]', '')
    const button = form.querySelector('button')!
    button.disabled = true
    try {
      await signIn(form.querySelector('textarea')!.value)
    } catch (error) {
      write(form, '[role=alert]', (error as Error).message || words.refused)
      button.disabled = false
    }
  })
  return form
}
