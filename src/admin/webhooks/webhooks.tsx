import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField as Line,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  AutocompleteInput,
  Create,
  Datagrid,
  FunctionField,
  List,
  type RaRecord,
  required,
  SelectInput,
  TextArrayInput,
  TextInput,
  useRedirect,
} from 'react-admin'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { catalogue } from '../core/settings.ts'
import { choices, Status } from '../fields/Status.tsx'
import { When } from '../fields/When.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { webhookWords } from './words.ts'

export function WebhookList() {
  const words = useWords(webhookWords)
  return (
    <List sort={{ field: 'createdAt', order: 'DESC' }} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <FunctionField source="topic" sortable={false} render={({ topic }) => <code>{topic}</code>} />
        <FunctionField label={words.calls} sortable={false} render={({ callbackUrl }) => callbackUrl} />
        <FunctionField
          source="version"
          sortable={false}
          render={({ version }) => version ?? words.theDefault}
        />
        <Status source="status" sortable={false} />
        <When source="createdAt" />
      </Datagrid>
    </List>
  )
}

export function WebhookCreate() {
  const words = useWords(webhookWords)
  const redirect = useRedirect()
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <>
      <Create
        title={words.newSubscription}
        component="div"
        mutationOptions={{ onSuccess: (made: RaRecord) => setSecret(made.secret ?? '') }}
      >
        <Form defaultValues={{ status: 'ACTIVE' }}>
          <Inputs />
        </Form>
      </Create>
      <Dialog open={secret !== null} fullWidth>
        <DialogTitle>{words.keepSecret}</DialogTitle>
        <DialogContent>
          <Alert severity="warning" sx={{ mb: 2 }}>
            {words.secretHint}
          </Alert>
          <Line
            value={secret ?? ''}
            fullWidth
            slotProps={{ htmlInput: { readOnly: true, style: { fontFamily: 'ui-monospace, monospace' } } }}
            onFocus={({ target }) => target.select()}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => navigator.clipboard?.writeText(secret ?? '')}>{words.copy}</Button>
          <Button variant="contained" onClick={() => redirect('list', 'webhook_subscriptions')}>
            {words.kept}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}

export function WebhookEdit() {
  const words = useWords(webhookWords)
  return (
    <EditPage title={words.subscription}>
      <Form>
        <Inputs />
      </Form>
    </EditPage>
  )
}

function Inputs() {
  const words = useWords(webhookWords)
  const { data = [] } = useQuery({
    queryKey: ['webhook_topics'],
    queryFn: async () =>
      (await call('/api/webhook_topics')).json.member as { name?: string; topic?: string }[],
  })
  const names = data.flatMap(({ name, topic }) => name ?? topic ?? [])
  const wider = [...new Set(names.map((name) => `${name.split('/')[0]}/*`)), '*']
  return (
    <Section title={words.subscription}>
      <AutocompleteInput
        source="topic"
        choices={[...wider, ...names].map((id) => ({
          id,
          name: id === '*' ? `* (${words.everything})` : id,
        }))}
        validate={required()}
      />
      <TextInput source="callbackUrl" validate={required()} fullWidth />
      <SelectInput
        source="version"
        choices={catalogue().versions.map(({ name }) => ({ id: name, name }))}
        emptyText={words.defaultVersion}
        helperText={words.versionHint}
        fullWidth
      />
      <SelectInput
        source="locale"
        choices={catalogue().locales.map((id) => ({ id, name: id }))}
        emptyText={words.theDefault}
        fullWidth
      />
      <TextArrayInput source="includeFields" helperText={words.fieldsHint} />
      <SelectInput source="status" choices={choices('ACTIVE', 'PAUSED', 'DISABLED')} validate={required()} />
    </Section>
  )
}
