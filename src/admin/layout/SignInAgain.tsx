import { Button, Typography } from '@mui/material'
import { useLogout } from 'react-admin'
import { replaceToken } from '../core/auth.ts'
import { useWords } from '../core/i18n.ts'
import { signInAgain } from '../core/sign-in.ts'
import { mayDropEdits } from '../core/unsaved.ts'
import { Modal } from './Modal.tsx'
import { TokenForm } from './SignIn.tsx'

/** Asks for a new token over the page, while the requests that need one wait. */
export function SignInAgain() {
  const words = useWords('layout')
  const logout = useLogout()
  const pending = signInAgain.useAsked()
  if (!pending) return null
  const { answer } = pending
  const signIn = async (token: string) => {
    await replaceToken(token)
    answer(true)
  }
  const signOut = () => {
    if (!mayDropEdits()) return
    answer(false)
    logout()
  }
  return (
    <Modal title={words.signInAgain}>
      <Typography sx={{ mb: 2 }}>{words.signInAgainHint}</Typography>
      <TokenForm signIn={signIn}>
        <Button onClick={() => answer(false)}>{words.notNow}</Button>
        <Button onClick={signOut}>{words.signOut}</Button>
      </TokenForm>
    </Modal>
  )
}
