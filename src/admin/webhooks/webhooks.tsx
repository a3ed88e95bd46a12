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
import { catalogue } from '../core/settings.ts'
import { choices, Status } from '../fields/Status.tsx'
import { When } from '../fields/When.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'

export function WebhookList() {
  return (
    <List sort={{ field: 'createdAt', order: 'DESC' }} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <FunctionField label="Topic" sortable={false} render={({ topic }) => <code>{topic}</code>} />
        <FunctionField label="Calls" sortable={false} render={({ callbackUrl }) => callbackUrl} />
        <FunctionField label="Version" sortable={false} render={({ version }) => version ?? 'the default'} />
        <Status sortable={false} label="Status" />
        <When source="createdAt" label="Since" />
      </Datagrid>
    </List>
  )
}

export function WebhookCreate() {
  const redirect = useRedirect()
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <>
      <Create
        title="New subscription"
        component="div"
        mutationOptions={{ onSuccess: (made: RaRecord) => setSecret(made.secret ?? '') }}
      >
        <Form defaultValues={{ status: 'ACTIVE' }}>
          <Inputs />
        </Form>
      </Create>
      <Dialog open={secret !== null} fullWidth>
        <DialogTitle>Keep this secret</DialogTitle>
        <DialogContent>
          <Alert severity="warning" sx={{ mb: 2 }}>
            Deliveries are signed with it. It is shown now and never again.
          </Alert>
          <Line
            value={secret ?? ''}
            fullWidth
            slotProps={{ htmlInput: { readOnly: true, style: { fontFamily: 'ui-monospace, monospace' } } }}
            onFocus={({ target }) => target.select()}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => navigator.clipboard?.writeText(secret ?? '')}>Copy</Button>
          <Button variant="contained" onClick={() => redirect('list', 'webhook_subscriptions')}>
            I have kept it
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}

export function WebhookEdit() {
  return (
    <EditPage title="Subscription">
      <Form>
        <Inputs />
      </Form>
    </EditPage>
  )
}

function Inputs() {
  const { data = [] } = useQuery({
    queryKey: ['webhook_topics'],
    queryFn: async () =>
      (await call('/api/webhook_topics')).json.member as { name?: string; topic?: string }[],
  })
  const names = data.flatMap(({ name, topic }) => name ?? topic ?? [])
  const wider = [...new Set(names.map((name) => `${name.split('/')[0]}/*`)), '*']
  return (
    <Section title="Subscription">
      <AutocompleteInput
        source="topic"
        choices={[...wider, ...names].map((id) => ({ id, name: id === '*' ? '* (everything)' : id }))}
        validate={required()}
      />
      <TextInput
        source="callbackUrl"
        label="Address that is called (https://…)"
        validate={required()}
        fullWidth
      />
      <SelectInput
        source="version"
        choices={catalogue().versions.map(({ name }) => ({ id: name, name }))}
        emptyText="the default, whichever that is"
        helperText="The API version of what is delivered."
        fullWidth
      />
      <SelectInput
        source="locale"
        label="Language"
        choices={catalogue().locales.map((id) => ({ id, name: id }))}
        emptyText="the default"
        fullWidth
      />
      <TextArrayInput
        source="includeFields"
        label="Only these fields"
        helperText="Such as title or variants.*.sku, Enter after each; none is everything."
      />
      <SelectInput source="status" choices={choices('ACTIVE', 'PAUSED', 'DISABLED')} validate={required()} />
    </Section>
  )
}
