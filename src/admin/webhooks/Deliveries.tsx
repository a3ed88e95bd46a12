import {
  Alert,
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  MenuItem,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  TextField,
  Typography,
} from '@mui/material'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RecordContextProvider, useRecordContext, useTranslate } from 'react-admin'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { learnNames, nameOf } from '../core/names.ts'
import { hasScope } from '../core/session.ts'
import { momentText, zoneText } from '../core/zone.ts'
import { Status } from '../fields/Status.tsx'
import { When } from '../fields/When.tsx'
import { Section } from '../layout/Section.tsx'
import { type Carried, type Delivery, deliveriesOf } from './deliveries.ts'

type Page = { readonly member: readonly Delivery[]; readonly view?: { readonly next?: string } }

/** The deliveries of a subscription, latest first, with their results. */
export function Deliveries() {
  const words = useWords('webhooks')
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
      <TextField
        select
        label={words.status}
        value={status}
        onChange={({ target }) => setStatus(target.value)}
        sx={{ minWidth: 180, mb: 1 }}
      >
        <MenuItem value="">{words.allStatuses}</MenuItem>
        {['PENDING', 'DELIVERED', 'FAILED'].map((each) => (
          <MenuItem key={each} value={each}>
            {translate(`status.${each}`)}
          </MenuItem>
        ))}
      </TextField>
      {data && found.length === 0 && <Typography>{words.noDeliveries}</Typography>}
      {found.length > 0 && <Typography variant="body2">{words.timesIn(zoneText())}</Typography>}
      {found.length > 0 && (
        <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={words.deliveries}>
          <Table size="small">
            <TableHead>
              <TableRow>
                {[words.when, words.event, words.status, words.answer, words.latency, words.attempts].map(
                  (name) => (
                    <TableCell key={name}>{name}</TableCell>
                  ),
                )}
                <TableCell>{words.details}</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {found.map((each) => (
                <RecordContextProvider key={each['@id']} value={each}>
                  <TableRow>
                    <TableCell>
                      <When source="createdAt" />
                    </TableCell>
                    <TableCell>{each.topic}</TableCell>
                    <TableCell>
                      <Status />
                    </TableCell>
                    <TableCell>{each.httpStatus ?? each.error ?? '–'}</TableCell>
                    <TableCell>{each.latency === null ? '–' : words.ms(each.latency)}</TableCell>
                    <TableCell>{each.attempts}</TableCell>
                    <TableCell>
                      <Button
                        size="small"
                        aria-label={`${words.details} ${each.topic} ${each.sequence}`}
                        onClick={() => setOpen(each)}
                      >
                        {words.details}
                      </Button>
                    </TableCell>
                  </TableRow>
                </RecordContextProvider>
              ))}
            </TableBody>
          </Table>
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

/** A delivery with its attempts. It can be sent again. Its body is not stored, and is rendered again. */
function Details({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const words = useWords('webhooks')
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
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="delivery">
      <DialogTitle id="delivery">
        {delivery.topic} · {delivery.sequence}
      </DialogTitle>
      <DialogContent>
        {refusal && <Alert severity="error">{refusal.message}</Alert>}
        <Typography sx={{ overflowWrap: 'anywhere' }}>
          {read ? (nameOf(delivery.resource) ?? delivery.resource) : '…'}
        </Typography>
        {delivery.nextAttemptAt && (
          <Typography>
            {words.next}: {momentText(delivery.nextAttemptAt, interfaceLocale())}
          </Typography>
        )}
        <ol>
          {read?.log?.map((each, at) => (
            <li key={each.startedAt ?? at}>
              {[
                each.startedAt && momentText(each.startedAt, interfaceLocale()),
                each.httpStatus,
                each.error,
                each.latency != null && words.ms(each.latency),
              ]
                .filter(Boolean)
                .join(' · ')}
            </li>
          ))}
        </ol>
        <Typography variant="body2">{words.retryHint}</Typography>
        <Typography variant="body2" sx={{ mt: 1 }}>
          {words.renderHint}
        </Typography>
        {rendered.data && <Body carried={rendered.data} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button disabled={rendered.isPending} onClick={() => rendered.mutate()}>
          {words.renderAnew}
        </Button>
        {hasScope('webhook_subscriptions:write') && (
          <Button variant="contained" disabled={retry.isPending} onClick={() => retry.mutate()}>
            {words.retry}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

/** The body of a delivery, or the reason why it is not available. */
function Body({ carried: { webhookId, body, error } }: { carried: Carried }) {
  const words = useWords('webhooks')
  if (body === null) return <Alert severity="info">{words.noBody(error)}</Alert>
  return <Call sent={{ headers: { 'webhook-id': webhookId }, body }} />
}

/** The headers and the body of a call. */
export function Call({ sent: { headers, body } }: { sent: Readonly<Record<string, unknown>> }) {
  const lines = Object.entries(Object(headers)).map(([name, value]) => `${name}: ${value}`)
  return (
    <Box
      component="pre"
      tabIndex={0}
      sx={{ overflow: 'auto', maxHeight: 360, p: 1.5, bgcolor: 'action.hover', borderRadius: 1 }}
    >
      {lines.join('\n')}
      {'\n\n'}
      {pretty(String(body))}
    </Box>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
