import { Box, Button, Typography } from '@mui/material'
import { useEffect, useRef } from 'react'
import { useLogout } from 'react-admin'
import { replaceToken } from '../core/auth.ts'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'
import { signInAgain } from '../core/sign-in.ts'
import { mayDropEdits } from '../core/unsaved.ts'
import { Modal } from './Modal.tsx'
import { tokenForm } from './sign-in.ts'

/** Asks for a new token over the page, while the requests that need one wait. */
export function SignInAgain() {
  const words = useWords('layout')
  const logout = useLogout()
  const pending = signInAgain.useAsked()
  if (!pending) return null
  const { answer } = pending
  const signIn = async (token: string, refresh: string | null = null) => {
    await replaceToken(token, refresh)
    answer(true)
  }
  const signOut = () => {
    if (!mayDropEdits()) return
    answer(false)
    logout()
  }
  const actions = (
    <>
      <Button onClick={() => answer(false)}>{words.notNow}</Button>
      <Button onClick={signOut}>{words.signOut}</Button>
    </>
  )
  return (
    <Modal title={words.signInAgain} actions={actions}>
      {catalogue().signIn === null && <Typography sx={{ mb: 2 }}>{words.signInAgainHint}</Typography>}
      <TokenForm signIn={signIn} />
    </Modal>
  )
}

/** Where people sign in at the issuer, they do so in another window. */
function TokenForm({ signIn }: { signIn: typeof replaceToken }) {
  const at = useRef<HTMLDivElement>(null)
  const latest = useRef(signIn)
  latest.current = signIn
  useEffect(() => {
    const show = (form: HTMLElement) => {
      at.current?.replaceChildren(form)
      form.querySelector<HTMLElement>('textarea, button')?.focus()
    }
    if (catalogue().signIn === null) show(tokenForm((token) => latest.current(token)))
    else
      void import('./at-issuer.ts').then(({ otherWindowForm }) =>
        show(otherWindowForm(({ token, refresh }) => latest.current(token, refresh))),
      )
  }, [])
  return <Box ref={at} />
}
