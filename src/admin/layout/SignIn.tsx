import { Alert, Box, Button, Paper, TextField, Typography } from '@mui/material'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useLogin } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'

/** The page for signing in: asks for a token, and says where one comes from. It leads to the address `next`. */
export function SignIn({ next }: { next?: string }) {
  const words = useWords('layout')
  const login = useLogin()
  return (
    <Box
      sx={{
        minHeight: '100vh',
        display: 'grid',
        // A long command is broken, the page is not wider than its window.
        gridTemplateColumns: 'minmax(0, 1fr)',
        placeItems: 'center',
        bgcolor: 'background.default',
        p: 2,
      }}
    >
      <Paper variant="outlined" sx={{ p: 4, width: 'min(520px, 100%)' }}>
        <Typography variant="h5" component="h1" sx={{ fontWeight: 700, mb: 1 }}>
          {catalogue().name}
        </Typography>
        <Typography sx={{ mb: 3, opacity: 0.75 }}>{words.signInHint}</Typography>
        <TokenForm signIn={(token) => login({ token }, next)} />
      </Paper>
    </Box>
  )
}

/** The input for a token. It shows why the service rejects one. */
export function TokenForm({
  signIn,
  children,
}: {
  signIn: (token: string) => Promise<unknown>
  /** Other buttons next to that for signing in. */
  children?: ReactNode
}) {
  const words = useWords('layout')
  const [token, setToken] = useState('')
  const [refusal, setRefusal] = useState<string | null>(null)
  const { host } = catalogue()
  const local = host.endsWith('.localhost')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // A form of the page around a dialog would be sent as well.
    event.stopPropagation()
    setRefusal(null)
    await signIn(token).catch((error: Error) => setRefusal(error.message || words.refused))
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={words.accessToken}
        value={token}
        onChange={(event) => setToken(event.target.value)}
        multiline
        minRows={3}
        maxRows={6}
        fullWidth
        autoFocus
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: 'ui-monospace, monospace' } } }}
      />
      {refusal !== null && (
        <Alert severity="error" sx={{ mt: 2 }}>
          {refusal}
        </Alert>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, my: 2 }}>
        <Button type="submit" variant="contained" disabled={token.trim() === ''} sx={{ flex: 1 }}>
          {words.signIn}
        </Button>
        {children}
      </Box>
      <Typography variant="body2" sx={{ opacity: 0.75 }}>
        {local ? words.tokenOnThisMachine : words.tokenElsewhere}
      </Typography>
      {local && (
        <Box
          component="pre"
          sx={{
            m: 0,
            mt: 1,
            p: 1.5,
            borderRadius: 1,
            bgcolor: 'action.hover',
            whiteSpace: 'pre-wrap',
            overflowWrap: 'anywhere',
          }}
        >
          npm run -s token -- --tenant {host.split('.')[0]}
        </Box>
      )}
    </form>
  )
}
