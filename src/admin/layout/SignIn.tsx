import { Alert, Box, Button, Paper, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'
import { useLogin } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'
import { layoutWords } from './words.ts'

/** Asks for a token, and says where one comes from. */
export function SignIn() {
  const words = useWords(layoutWords)
  const login = useLogin()
  const [token, setToken] = useState('')
  const [refusal, setRefusal] = useState<string | null>(null)
  const { name, host } = catalogue()
  const local = host.endsWith('.localhost')
  const signIn = async (event: FormEvent) => {
    event.preventDefault()
    setRefusal(null)
    await login({ token }).catch((error: Error) => setRefusal(error.message || words.refused))
  }
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
      <Paper component="form" onSubmit={signIn} variant="outlined" sx={{ p: 4, width: 'min(520px, 100%)' }}>
        <Typography variant="h5" component="h1" sx={{ fontWeight: 700, mb: 1 }}>
          {name}
        </Typography>
        <Typography sx={{ mb: 3, opacity: 0.75 }}>{words.signInHint}</Typography>
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
        <Button type="submit" variant="contained" fullWidth disabled={token.trim() === ''} sx={{ my: 2 }}>
          {words.signIn}
        </Button>
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
      </Paper>
    </Box>
  )
}
