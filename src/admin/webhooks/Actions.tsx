import { Alert, Button, Stack, TextField, Typography } from '@mui/material'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useRecordContext } from 'react-admin'
import { instantIn } from '../core/clock.ts'
import { call } from '../core/http.ts'
import { hasScope } from '../core/session.ts'
import { shopZone, zoneText } from '../core/zone.ts'
import { Period } from '../fields/Period.tsx'
import { Modal } from '../layout/Modal.tsx'
import { Section } from '../layout/Section.tsx'
import { Call, type Durations, durationTexts, Verbatim } from './Deliveries.tsx'
import { Secret } from './Secret.tsx'
import { useWebhookWords } from './words.ts'

type Action = 'test' | 'preview' | 'replay' | 'rotate'
type Asked = { readonly resource: string; readonly from: string; readonly until: string }

const paths = { test: 'test', preview: 'preview', replay: 'replay', rotate: 'rotate_secret' } as const

/** The actions on a subscription other than editing, each with a confirmation. */
export function Actions() {
  const words = useWebhookWords()
  const record = useRecordContext()
  const [chosen, setChosen] = useState<Action | null>(null)
  if (!record || !hasScope('webhook_subscriptions:write')) return null
  return (
    <Section title={words.actions}>
      <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap' }}>
        {(['test', 'preview', 'replay', 'rotate'] as const).map((action) => (
          <Button key={action} variant="outlined" onClick={() => setChosen(action)}>
            {words[action]}
          </Button>
        ))}
      </Stack>
      {chosen && (
        <Run key={chosen} action={chosen} subscription={String(record.id)} onClose={() => setChosen(null)} />
      )}
    </Section>
  )
}

function Run({
  action,
  subscription,
  onClose,
}: {
  action: Action
  subscription: string
  onClose: () => void
}) {
  const words = useWebhookWords()
  const client = useQueryClient()
  const [asked, setAsked] = useState<Asked>({ resource: '', from: '', until: '' })
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (afterSequence: unknown) => {
      const body = bodyOf(action, asked, afterSequence)
      const options = { method: 'POST', ...(body && { body: JSON.stringify(body) }) }
      return (await call(`${subscription}/${paths[action]}`, options)).json
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['webhook_subscriptions'] }),
  })
  const close = () => onClose()
  if (action === 'rotate' && data) return <Secret secret={String(data.secret ?? '')} onKept={close} />
  const incomplete =
    (action === 'preview' && asked.resource === '') || (action === 'replay' && asked.from === '')
  return (
    <Modal
      onClose={close}
      maxWidth="md"
      title={words[action]}
      actions={
        <>
          <Button onClick={close}>{words.close}</Button>
          <Button
            variant="contained"
            disabled={isPending || incomplete}
            onClick={() => mutate(data?.complete === false ? data.lastSequence : undefined)}
          >
            {data?.complete === false ? words.goOn : words[action]}
          </Button>
        </>
      }
    >
      <Typography sx={{ mb: 2 }}>{words[`${action}Hint`]}</Typography>
      {action === 'preview' && (
        <TextField
          label={words.resource}
          value={asked.resource}
          onChange={({ target }) => setAsked({ ...asked, resource: target.value.trim() })}
          fullWidth
        />
      )}
      {action === 'replay' && (
        <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
          <Period
            type="datetime-local"
            labels={words}
            value={asked}
            onChange={(change) => setAsked({ ...asked, ...change })}
          />
        </Stack>
      )}
      {action === 'replay' && <Typography variant="body2">{words.timesIn(zoneText())}</Typography>}
      {error && <Alert severity="error">{error.message}</Alert>}
      {data && <Outcome action={action} data={data} />}
    </Modal>
  )
}

function Outcome({ action, data }: { action: Action; data: Readonly<Record<string, unknown>> }) {
  const words = useWebhookWords()
  const isTaken = data.status === 'DELIVERED'
  return (
    <>
      {action === 'replay' && <Alert severity="success">{words.replayed(Number(data.deliveries))}</Alert>}
      {action === 'test' && (
        <Alert severity={isTaken ? 'success' : 'error'}>
          {isTaken ? words.accepted : words.refused}{' '}
          {[
            data.httpStatus,
            words.failure(data.error),
            ...(data.durations ? durationTexts(data.durations as Durations, words) : []),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Alert>
      )}
      {typeof data.response === 'string' && <Verbatim>{data.response}</Verbatim>}
      {typeof data.body === 'string' && <Call sent={data} />}
    </>
  )
}

function bodyOf(action: Action, { resource, from, until }: Asked, afterSequence: unknown) {
  if (action === 'preview') return { resource }
  if (action !== 'replay') return null
  return {
    ...(typeof afterSequence === 'number'
      ? { afterSequence }
      : { from: instantIn(from, shopZone())?.toISOString() }),
    ...(until && { until: instantIn(until, shopZone())?.toISOString() }),
  }
}
