import { Chip } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  AutocompleteInput,
  BooleanInput,
  Create,
  Datagrid,
  FunctionField,
  List,
  type RaRecord,
  required,
  SelectInput,
  TextInput,
  useRecordContext,
  useRedirect,
} from 'react-admin'
import { call } from '../core/http.ts'
import { catalogue } from '../core/settings.ts'
import { TextsInput } from '../fields/Chips.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { When } from '../fields/When.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Section } from '../layout/Section.tsx'
import { Actions } from './Actions.tsx'
import { Deliveries } from './Deliveries.tsx'
import { Health } from './Health.tsx'
import { Secret } from './Secret.tsx'
import { useWebhookWords } from './words.ts'

export function WebhookList() {
  const words = useWebhookWords()
  return (
    <List sort={{ field: 'createdAt', order: 'DESC' }} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <FunctionField
          source="topic"
          sortable={false}
          render={({ topic }) => (
            <RowLink>
              <code>{topic}</code>
            </RowLink>
          )}
        />
        <FunctionField label={words.calls} sortable={false} render={({ callbackUrl }) => callbackUrl} />
        <FunctionField
          source="version"
          sortable={false}
          render={({ version }) => version ?? words.theDefault}
        />
        <Status source="status" sortable={false} />
        <FunctionField
          label={words.health}
          sortable={false}
          render={({ status, failingSince, disabledReason }) => (
            <HealthChip status={status} failing={Boolean(failingSince)} reason={disabledReason} />
          )}
        />
        <When source="createdAt" />
      </Datagrid>
    </List>
  )
}

/** Whether deliveries arrive. A subscription without deliveries has no state. */
function HealthChip({
  status,
  failing,
  reason,
}: {
  status: string
  failing: boolean
  reason: string | null
}) {
  const words = useWebhookWords()
  if (reason) return <Chip size="small" color="error" label={reason} />
  if (failing) return <Chip size="small" color="error" label={words.failing} />
  return status === 'ACTIVE' ? words.healthy : '–'
}

export function WebhookCreate() {
  const words = useWebhookWords()
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
      <Secret secret={secret} onKept={() => redirect('list', 'webhook_subscriptions')} />
    </>
  )
}

export function WebhookEdit() {
  return (
    <EditPage title={<Name />}>
      <Form>
        <Health />
        <Inputs />
        <Actions />
        <Deliveries />
      </Form>
    </EditPage>
  )
}

function Name() {
  const words = useWebhookWords()
  return `${words.subscription} (${useRecordContext()?.topic ?? ''})`
}

function Inputs() {
  const words = useWebhookWords()
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
      <TextsInput source="includeFields" helperText={words.fieldsHint} />
      <BooleanInput source="recordResponses" helperText={words.recordHint} />
      <SelectInput source="status" choices={choices('ACTIVE', 'PAUSED', 'DISABLED')} validate={required()} />
    </Section>
  )
}
