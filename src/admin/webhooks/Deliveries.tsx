import { Alert, Box, Button, Typography } from '@mui/material'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { RecordContextProvider, useRecordContext, useTranslate } from 'react-admin'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { learnNames, nameOf } from '../core/names.ts'
import { hasScope } from '../core/session.ts'
import { momentText, zoneText } from '../core/zone.ts'
import { Choice } from '../fields/Choice.tsx'
import { Status } from '../fields/Status.tsx'
import { When } from '../fields/When.tsx'
import { DataTable } from '../layout/DataTable.tsx'
import { Modal } from '../layout/Modal.tsx'
import { Section } from '../layout/Section.tsx'
import { useWebhookWords, type WebhookWords } from './words.ts'

type Page = { readonly member: readonly Delivery[]; readonly view?: { readonly next?: string } }

/** The deliveries of a subscription, latest first, with their results. */
export function Deliveries() {
  const words = useWebhookWords()
  const translate = useTranslate()
  const record = useRecordContext()
  const [status, setStatus] = useState('')
  const [open, setOpen] = useState<Delivery | null>(null)
  const subscription = String(record?.id)
  const first = `${deliveriesOf(subscription)}?itemsPerPage=20${status && `&status=${status}`}`
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['webhook_subscriptions', 'deliveries', first],
    enabled: record !== undefined,
    initialPageParam: first,
    queryFn: async ({ pageParam }) => (await call<Page>(pageParam)).json,
    getNextPageParam: (page) => page.view?.next,
  })
  const found = data?.pages.flatMap(({ member }) => member) ?? []
  return (
    <Section title={words.deliveries}>
      {error && <Alert severity="warning">{error.message}</Alert>}
      <Choice
        label={words.status}
        value={status}
        choices={[
          ['', words.allStatuses],
          ...['PENDING', 'DELIVERED', 'FAILED'].map((each) => [each, translate(`status.${each}`)] as const),
        ]}
        onChoose={setStatus}
        sx={{ minWidth: 180, mb: 1 }}
      />
      {data && found.length === 0 && <Typography>{words.noDeliveries}</Typography>}
      {found.length > 0 && <Typography variant="body2">{words.timesIn(zoneText())}</Typography>}
      {found.length > 0 && (
        <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={words.deliveries}>
          <DataTable
            rows={found}
            keyOf={(each) => each['@id']}
            columns={[
              { title: words.when, content: (each) => inRecord(each, <When source="createdAt" />) },
              { title: words.event, content: ({ topic }) => topic },
              { title: words.status, content: (each) => inRecord(each, <Status />) },
              {
                title: words.answer,
                content: ({ httpStatus, error }) => httpStatus ?? words.failure(error) ?? '–',
              },
              {
                title: words.latency,
                content: ({ latency }) => (latency === null ? '–' : words.ms(latency)),
              },
              { title: words.attempts, content: ({ attempts }) => attempts },
              {
                title: words.details,
                content: (each) => (
                  <Button
                    size="small"
                    aria-label={`${words.details} ${each.topic} ${each.sequence}`}
                    onClick={() => setOpen(each)}
                  >
                    {words.details}
                  </Button>
                ),
              },
            ]}
          />
        </Box>
      )}
      {hasNextPage && (
        <Button size="small" disabled={isFetching} onClick={() => fetchNextPage()}>
          {words.more}
        </Button>
      )}
      {open && <Details delivery={open} onClose={() => setOpen(null)} />}
    </Section>
  )
}

const inRecord = (delivery: Delivery, field: ReactNode) => (
  <RecordContextProvider value={delivery}>{field}</RecordContextProvider>
)

/** A delivery with its attempts. It can be sent again. Its body is not stored, and is rendered again. */
function Details({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const words = useWebhookWords()
  const { labelled } = useWords('fields')
  const client = useQueryClient()
  const { data: read } = useQuery({
    queryKey: ['webhook_subscriptions', 'delivery', delivery['@id']],
    queryFn: async () => {
      await learnNames([delivery.resource])
      return (await call<Delivery>(delivery['@id'])).json
    },
  })
  const retry = useMutation({
    mutationFn: () => call(`${delivery['@id']}/retry`, { method: 'POST' }),
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries({ queryKey: ['webhook_subscriptions'] })
    },
  })
  const rendered = useMutation({
    mutationFn: async () => (await call<Carried>(`${delivery['@id']}/body`)).json,
  })
  const refusal = retry.error ?? rendered.error
  return (
    <Modal
      onClose={onClose}
      maxWidth="md"
      title={
        <>
          {delivery.topic} · {delivery.sequence}
        </>
      }
      actions={
        <>
          <Button onClick={onClose}>{words.close}</Button>
          <Button disabled={rendered.isPending} onClick={() => rendered.mutate()}>
            {words.renderAnew}
          </Button>
          {hasScope('webhook_subscriptions:write') && (
            <Button variant="contained" disabled={retry.isPending} onClick={() => retry.mutate()}>
              {words.retry}
            </Button>
          )}
        </>
      }
    >
      {refusal && <Alert severity="error">{refusal.message}</Alert>}
      <Typography sx={{ overflowWrap: 'anywhere' }}>
        {read ? (nameOf(delivery.resource) ?? delivery.resource) : '…'}
      </Typography>
      {delivery.waitsFor && <Typography>{words.waits(delivery.waitsFor)}</Typography>}
      {delivery.nextAttemptAt && (
        <Typography>{labelled(words.next, momentText(delivery.nextAttemptAt, interfaceLocale()))}</Typography>
      )}
      <ol>
        {read?.log?.map((each, at) => (
          <li key={each.startedAt ?? at}>
            {[
              each.startedAt && momentText(each.startedAt, interfaceLocale()),
              each.httpStatus,
              words.failure(each.error),
              ...(each.durations ? durationTexts(each.durations, words) : []),
            ]
              .filter(Boolean)
              .join(' · ')}
            {each.response && <Verbatim>{each.response}</Verbatim>}
          </li>
        ))}
      </ol>
      <Typography variant="body2">{words.retryHint}</Typography>
      <Typography variant="body2" sx={{ mt: 1 }}>
        {words.renderHint}
      </Typography>
      {rendered.data && <Body carried={rendered.data} />}
    </Modal>
  )
}

/** The body of a delivery, or the reason why it is not available. */
function Body({ carried: { webhookId, body, error } }: { carried: Carried }) {
  const words = useWebhookWords()
  if (body === null) return <Alert severity="info">{words.noBody(error)}</Alert>
  return <Call sent={{ headers: { 'webhook-id': webhookId }, body }} />
}

/** The headers and the body of a call. */
export function Call({ sent: { headers, body } }: { sent: Readonly<Record<string, unknown>> }) {
  const lines = Object.entries(Object(headers)).map(([name, value]) => `${name}: ${value}`)
  return <Verbatim>{`${lines.join('\n')}\n\n${pretty(String(body))}`}</Verbatim>
}

/** A text as it was sent, with its lines. */
export function Verbatim({ children }: { children: string }) {
  return (
    <Box
      component="pre"
      tabIndex={0}
      sx={{
        overflow: 'auto',
        maxHeight: 360,
        p: 1.5,
        bgcolor: 'action.hover',
        borderRadius: 1,
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
      }}
    >
      {children}
    </Box>
  )
}

/** The durations of the parts that an attempt reached. */
export function durationTexts(durations: Durations, { parts, ms }: WebhookWords): string[] {
  return (['address', 'headers', 'body'] as const).flatMap((part) => {
    const duration = durations[part]
    return duration === null ? [] : `${parts[part]} ${ms(duration)}`
  })
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** The deliveries of a subscription, as the service lists them. */
export type Delivery = {
  readonly '@id': string
  readonly topic: string
  readonly resource: string
  readonly sequence: number
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED'
  readonly attempts: number
  readonly httpStatus: number | null
  readonly latency: number | null
  readonly error: string | null
  readonly nextAttemptAt: string | null
  readonly waitsFor: string | null
  readonly createdAt: string
  readonly log?: readonly Attempt[]
}

/** Milliseconds; null for a part that the attempt did not reach. */
export type Durations = Readonly<Record<'address' | 'headers' | 'body', number | null>>

type Attempt = {
  readonly httpStatus?: number | null
  readonly error?: string | null
  readonly durations?: Durations
  /** Absent if the caller may not see it. */
  readonly response?: string | null
  readonly startedAt?: string
}

/** The content of a delivery, as the service renders it again. */
type Carried = {
  readonly webhookId: string
  readonly body: string | null
  readonly error: string | null
}

export function deliveriesOf(subscription: string): string {
  return `${subscription}/deliveries`
}
