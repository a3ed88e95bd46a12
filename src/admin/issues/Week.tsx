import { Alert, Link as Anchor, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-admin'
import { call } from '../core/http.ts'
import { interfaceLocale } from '../core/language.ts'
import { everyMember } from '../core/pages.ts'
import { hasScope } from '../core/session.ts'
import { momentText } from '../core/zone.ts'
import { endOfFeed, eventsBefore } from '../history/feed.ts'
import { useIssueWords } from './words.ts'

/** The prices that begin or end in the next seven days, the webhooks that fail, and the users of the latest changes. */
export function Week() {
  const words = useIssueWords()
  return (
    <Stack spacing={3} sx={{ mb: 3 }}>
      {hasScope('sale_offers:read') && (
        <Part
          title={words.week}
          queryKey="prices"
          read={readPriceDates}
          none={words.noDates}
          line={({ at, property, offers, isAll }) => ({
            to: `/sale_offers?filter=${encodeURIComponent(JSON.stringify({ [property]: around(at) }))}`,
            text: words.pricesAt[property](momentText(at, interfaceLocale()), offers, isAll),
          })}
        />
      )}
      {hasScope('webhook_subscriptions:read') && (
        <Part
          title={words.failingWebhooks}
          queryKey="webhooks"
          read={readFailingWebhooks}
          none={words.noFailure}
          line={(webhook) => ({
            to: `/webhook_subscriptions/${encodeURIComponent(webhook['@id'])}`,
            text: words.failing(webhook.callbackUrl, momentText(webhook.failingSince, interfaceLocale())),
          })}
        />
      )}
      {hasScope('events:read') && (
        <Part
          title={words.byPerson}
          queryKey="people"
          read={readPeople}
          none={words.noChange}
          line={({ person, changes, latest }) => ({
            to: `/latest-changes?person=${encodeURIComponent(person)}`,
            text: words.changed(person, changes, momentText(latest, interfaceLocale())),
          })}
        />
      )}
    </Stack>
  )
}

/** A list of links under a heading. */
function Part<Line>({
  title,
  queryKey,
  read,
  none,
  line,
}: {
  title: string
  queryKey: string
  read: () => Promise<readonly Line[]>
  none: string
  line: (each: Line) => { to: string; text: string }
}): ReactNode {
  const { data, error } = useQuery({ queryKey: ['week', queryKey], queryFn: read, staleTime: 0 })
  return (
    <section aria-label={title}>
      <Typography component="h2" variant="h6" sx={{ mb: 1 }}>
        {title}
      </Typography>
      {error && <Alert severity="warning">{error.message}</Alert>}
      {data?.length === 0 && <Typography>{none}</Typography>}
      {data?.map(line).map(({ to, text }) => (
        <Anchor key={text} component={Link} to={to} sx={{ display: 'block', overflowWrap: 'anywhere' }}>
          {text}
        </Anchor>
      ))}
    </section>
  )
}

type Property = 'validFrom' | 'validUntil'
type PriceDate = {
  readonly at: string
  readonly property: Property
  readonly offers: number
  readonly isAll: boolean
}

const day = 86_400_000
/** The most offers that are counted for each of beginning and end. */
const mostOffers = 100

/** When prices begin and end in the next seven days, the earliest first. */
async function readPriceDates(): Promise<PriceDate[]> {
  const now = Date.now()
  const until = new Date(now + 7 * day).toISOString()
  const datesOf = async (property: Property): Promise<PriceDate[]> => {
    const { json } = await call<{ member: Record<Property, string>[]; view?: { next?: string } }>(
      `/api/sale_offers?status=ACTIVE&itemsPerPage=${mostOffers}&properties[]=${property}` +
        `&${property}[after]=${new Date(now).toISOString()}&${property}[until]=${until}`,
    )
    const offersAt = Map.groupBy(json.member, (offer) => offer[property])
    return [...offersAt].map(([at, { length: offers }]) => ({
      at,
      property,
      offers,
      isAll: json.view?.next === undefined,
    }))
  }
  const dates = await Promise.all([datesOf('validFrom'), datesOf('validUntil')])
  return dates.flat().toSorted((first, second) => first.at.localeCompare(second.at))
}

/** The bounds of a list that only contain one moment. */
function around(at: string) {
  const moment = new Date(at).getTime()
  return { after: new Date(moment - 1).toISOString(), before: new Date(moment + 1).toISOString() }
}

type Webhook = { readonly '@id': string; readonly callbackUrl: string; readonly failingSince: string | null }

async function readFailingWebhooks() {
  const webhooks = await everyMember<Webhook>('/api/webhook_subscriptions?itemsPerPage=100')
  return webhooks.flatMap((webhook) => {
    const { failingSince } = webhook
    return failingSince === null ? [] : [{ ...webhook, failingSince }]
  })
}

/** Who made the latest changes, and how many of them. */
async function readPeople() {
  const all = { topic: '', person: '', from: '', until: '' }
  const { events } = await eventsBefore(await endOfFeed(), all)
  const byPerson = Map.groupBy(
    events.filter(({ actor }) => actor !== undefined),
    ({ actor }) => actor?.subject ?? '',
  )
  return [...byPerson].map(([person, changes]) => ({
    person,
    changes: changes.length,
    latest: changes[0]?.occurredAt ?? '',
  }))
}
