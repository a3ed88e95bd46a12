import { Alert, Box, Button, List, Skeleton, Stack, TextField, Typography } from '@mui/material'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, ResourceContextProvider, Title, useCreatePath } from 'react-admin'
import { useSearchParams } from 'react-router-dom'
import { titleOf } from '../core/data-provider.ts'
import { useWords } from '../core/i18n.ts'
import { learnNames, nameOf } from '../core/names.ts'
import { currentLocale } from '../core/settings.ts'
import { zoneText } from '../core/zone.ts'
import { Choice } from '../fields/Choice.tsx'
import { Period } from '../fields/Period.tsx'
import { Section } from '../layout/Section.tsx'
import { type Event, endOfFeed, eventsBefore, type Wanted } from './feed.ts'
import { Entry } from './History.tsx'

/** The pages on which what an event is about is changed, by the subject of its topic. */
const pages: Readonly<Record<string, string>> = {
  product: 'products',
  variant: 'variants',
  category: 'categories',
  collection: 'collections',
  sale_offer: 'sale_offers',
  purchase_offer: 'purchase_offers',
  metaobject: 'metaobjects',
  metaobject_definition: 'metaobject_definitions',
}

/** Who changed what in the whole catalogue, the latest first. */
export function LatestChanges() {
  const words = useWords('history')
  const { loading } = useWords('core')
  const [search] = useSearchParams()
  const [wanted, setWanted] = useState<Wanted>({
    topic: '',
    person: search.get('person') ?? '',
    from: '',
    until: '',
  })
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['events', 'latest', wanted],
    initialPageParam: null as number | null,
    queryFn: async ({ pageParam }) => eventsBefore(pageParam ?? (await endOfFeed()), wanted),
    getNextPageParam: (page) => page.before,
    staleTime: 0,
  })
  const isFiltered = Object.values(wanted).some((each) => each !== '') || hasNextPage
  const events = data?.pages.flatMap((page) => page.events) ?? []
  // The rows are shown before the titles of their documents are read.
  useQuery({
    queryKey: ['names', currentLocale(), events.map((event) => event['@id'])],
    queryFn: () => learnNames(events.map(({ resource, changes }) => [resource, changes])).then(Date.now),
    enabled: events.length > 0,
    notifyOnChangeProps: ['data'],
  })
  return (
    <Box sx={{ pt: 1 }}>
      <Title title={words.latest} />
      <Section title={words.latest}>
        <Stack direction="row" useFlexGap spacing={2} sx={{ flexWrap: 'wrap', mb: 1 }}>
          <Choice
            label={words.kind}
            value={wanted.topic}
            choices={[['', words.everything], ...Object.entries(words.kinds)]}
            onChoose={(topic) => setWanted({ ...wanted, topic })}
            sx={{ minWidth: 160 }}
          />
          <TextField
            label={words.person}
            value={wanted.person}
            onChange={({ target }) => setWanted({ ...wanted, person: target.value })}
          />
          <Period
            type="date"
            labels={words}
            value={wanted}
            onChange={(change) => setWanted({ ...wanted, ...change })}
          />
        </Stack>
        <Typography variant="body2">{words.timesIn(zoneText())}</Typography>
        {error && <Alert severity="warning">{error.message}</Alert>}
        {!data && !error && <Skeleton role="progressbar" aria-label={loading} height={400} />}
        {data && events.length === 0 && (
          <Typography sx={{ mt: 2 }}>{isFiltered ? words.none : words.nothingYet}</Typography>
        )}
        <List disablePadding aria-label={words.changes}>
          {events.map((event) => (
            <Line key={event['@id']} event={event} />
          ))}
        </List>
        {hasNextPage && (
          <Button size="small" disabled={isFetching} onClick={() => fetchNextPage()}>
            {words.further}
          </Button>
        )}
      </Section>
    </Box>
  )
}

function Line({ event }: { event: Event }) {
  const words = useWords('history')
  const path = useCreatePath()
  const page = pages[event.topic.split('/')[0] ?? '']
  return (
    <ResourceContextProvider value={page ?? 'products'}>
      <Entry
        event={event}
        own={false}
        thing={
          page && (
            <Link to={path({ resource: page, type: 'edit', id: event.resource })}>
              {titleIn(event) ?? words.open}
            </Link>
          )
        }
      />
    </ResourceContextProvider>
  )
}

/** Its title after the change, or as another document showed it. */
function titleIn({ resource, changes }: Event): string | undefined {
  const title = changes.find(({ path }) => path === 'title')?.after
  return nameOf(resource) ?? (typeof title === 'string' ? title : titleOf(resource))
}
