import { Alert, Box, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useRecordContext } from 'react-admin'
import { call } from '../core/http.ts'
import { interfaceLocale } from '../core/language.ts'
import { momentText } from '../core/zone.ts'
import { Section } from '../layout/Section.tsx'
import { type Delivery, deliveriesOf } from './Deliveries.tsx'
import { useWebhookWords } from './words.ts'

/** Whether what happens arrives: how much did, how much waits and for how long, and why nothing does. */
export function Health() {
  const words = useWebhookWords()
  const record = useRecordContext()
  const { data } = useQuery({
    queryKey: ['webhook_subscriptions', 'health', record?.id],
    enabled: record !== undefined,
    queryFn: () => healthOf(String(record?.id)),
  })
  if (!record) return null
  const moment = (text: string) => momentText(text, interfaceLocale())
  const figures = [
    [words.delivered, data?.delivered],
    [words.waiting, data?.waiting],
    [words.givenUp, data?.failed],
    [words.lag, data && (data.oldest ? words.minutes(minutesSince(data.oldest)) : words.none)],
  ] as const
  return (
    <Section title={words.health}>
      {record.disabledReason && (
        <Alert severity="error">{words.disabledBecause(String(record.disabledReason))}</Alert>
      )}
      {record.failingSince && (
        <Alert severity="warning">{words.failingSince(moment(String(record.failingSince)))}</Alert>
      )}
      {record.status === 'PAUSED' && <Alert severity="info">{words.paused}</Alert>}
      {record.previousSigningUntil && (
        <Alert severity="info">{words.bothSign(moment(String(record.previousSigningUntil)))}</Alert>
      )}
      <Box component="dl" sx={{ display: 'flex', flexWrap: 'wrap', gap: 4, m: 0, mt: 1 }}>
        {figures.map(([name, figure]) => (
          <Box key={name}>
            <Typography component="dt" variant="body2">
              {name}
            </Typography>
            <Typography component="dd" variant="h6" sx={{ m: 0 }}>
              {figure ?? '…'}
            </Typography>
          </Box>
        ))}
      </Box>
    </Section>
  )
}

async function healthOf(subscription: string) {
  const count = async (status: string) =>
    Number((await call(`${deliveriesOf(subscription)}?status=${status}&itemsPerPage=0`)).json.totalItems)
  const oldest = call(`${deliveriesOf(subscription)}?status=PENDING&itemsPerPage=1&order[createdAt]=asc`)
  const [delivered, waiting, failed, first] = await Promise.all([
    count('DELIVERED'),
    count('PENDING'),
    count('FAILED'),
    oldest,
  ])
  const [delivery] = first.json.member as readonly Delivery[]
  return { delivered, waiting, failed, oldest: delivery?.createdAt ?? null }
}

function minutesSince(text: string): number {
  return Math.ceil((Date.now() - new Date(text).getTime()) / 60_000)
}
