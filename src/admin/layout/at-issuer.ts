/** Signing in at the tenant's issuer: the form, with its texts, which only tenants with such a client load. */
import { leaveForIssuer, type Tokens, tokensOfOtherWindow } from '../core/issuer.ts'
import { textsOf } from '../core/language.ts'
import { catalogue } from '../core/settings.ts'
import { contentOf, showRefusal, withAction, write } from './sign-in.ts'

const english = {
  signInAtIssuerHint: 'Products, categories and prices. Sign in to see and change them.',
  signInAt: (issuer: string) => `Sign in at ${issuer}`,
  signInAgainAtIssuer:
    'You have been signed out. Nothing that you typed is lost: sign in again in a new window, and the page continues where it stopped.',
}

const french: typeof english = {
  signInAtIssuerHint: 'Produits, catégories et prix. Connectez-vous pour les voir et les modifier.',
  signInAt: (issuer) => `Se connecter sur ${issuer}`,
  signInAgainAtIssuer:
    'Vous avez été déconnecté. Rien de ce que vous avez saisi n’est perdu : connectez-vous de nouveau dans une autre fenêtre, et la page reprend où elle s’est arrêtée.',
}

const german: typeof english = {
  signInAtIssuerHint: 'Produkte, Kategorien und Preise. Melden Sie sich an, um sie zu sehen und zu ändern.',
  signInAt: (issuer) => `Anmelden bei ${issuer}`,
  signInAgainAtIssuer:
    'Sie wurden abgemeldet. Ihre Eingaben sind nicht verloren: Melden Sie sich in einem neuen Fenster an, und die Seite macht dort weiter, wo sie aufgehört hat.',
}

const words = () => textsOf({ en: english, fr: french, de: german })

export const hint = (): string => words().signInAtIssuerHint

/** The button that leaves the page for the issuer. It shows why that failed. */
export function issuerForm(refusal: string | null): HTMLElement {
  const form = formFor(() => leaveForIssuer())
  write(form, '[role=alert]', refusal ?? '')
  return form
}

/** The button that opens the issuer in another window. */
export function otherWindowForm(signIn: (tokens: Tokens) => Promise<unknown>): HTMLElement {
  // The person may close the window, and press the button again.
  const form = formFor(async () => {
    tokensOfOtherWindow()
      .then(signIn)
      .catch((error: Error) => showRefusal(form, error))
  })
  write(form, '.source', words().signInAgainAtIssuer)
  return form
}

function formFor(act: () => Promise<unknown>): HTMLElement {
  const form = contentOf('token-form')
  for (const selector of ['label', 'pre']) form.querySelector(selector)!.remove()
  write(form, 'button', words().signInAt(new URL(catalogue().signIn?.issuer ?? '').host))
  return withAction(form, act)
}
