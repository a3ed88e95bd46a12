import { Alert, Link as Anchor, Box, Button, Typography } from '@mui/material'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, Loading, Title } from 'react-admin'
import { useSearchParams } from 'react-router-dom'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { messages } from '../core/language.ts'
import { learnNames, nameOf } from '../core/names.ts'
import { DataTable } from '../layout/DataTable.tsx'
import { type Issue, pageOf } from './issue.ts'
import { Week } from './Week.tsx'
import { useIssueWords } from './words.ts'

type Counted = { readonly value: string; readonly count: number }
type Counts = {
  readonly facets: readonly [{ readonly values: readonly Counted[]; readonly atLeast: boolean }]
}
type Page = { readonly member: readonly Issue[]; readonly view?: { readonly next?: string } }

/** The issues of active products: how many of each type, and those of the chosen type. */
export function Issues() {
  const words = useIssueWords()
  const title = useWords('layout').needsAttention
  const [search] = useSearchParams()
  const type = search.get('type')
  const { data, error } = useQuery({
    queryKey: ['issues', 'counts'],
    queryFn: async () => (await call<Counts>('/api/issues?itemsPerPage=0&facets[]=type')).json,
    staleTime: 0,
  })
  const [facet] = data?.facets ?? []
  return (
    <Box sx={{ pt: 2 }}>
      <Title title={title} />
      <Typography sx={{ mb: 2 }}>{words.explained}</Typography>
      {error && <Alert severity="warning">{error.message}</Alert>}
      {!facet && !error && <Loading />}
      {facet?.values.length === 0 && <Alert severity="success">{words.none}</Alert>}
      {facet && facet.values.length > 0 && (
        <Box sx={{ mb: 3, width: 'fit-content', maxWidth: '100%' }}>
          <DataTable
            label={title}
            rows={facet.values}
            keyOf={({ value }) => value}
            columns={[
              {
                title: words.kind,
                content: ({ value }) => words.types[value] ?? value,
                component: 'th',
                scope: 'row',
              },
              {
                title: words.count,
                align: 'right',
                content: ({ value, count }) => (
                  <Anchor
                    component={Link}
                    to={{ pathname: '/attention', search: `?type=${value}` }}
                    aria-label={messages('fields').labelled(words.types[value] ?? value, String(count))}
                    sx={{ fontWeight: 600, ...(type === value && { bgcolor: 'action.selected' }) }}
                  >
                    {count}
                  </Anchor>
                ),
              },
            ]}
          />
          {facet.atLeast && <Typography variant="body2">{words.notAll}</Typography>}
        </Box>
      )}
      {type === null ? <Week /> : <OfType key={type} type={type} />}
    </Box>
  )
}

function OfType({ type }: { type: string }) {
  const words = useIssueWords()
  const { next } = useWords('languages')
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['issues', type],
    initialPageParam: `/api/issues?type=${encodeURIComponent(type)}`,
    queryFn: async ({ pageParam }) => {
      const { json } = await call<Page>(pageParam)
      await learnNames(json.member.map(({ product }) => product))
      return json
    },
    getNextPageParam: (page) => page.view?.next,
    staleTime: 0,
  })
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!data) return <Loading />
  const issues = data.pages.flatMap(({ member }) => member)
  const name = words.types[type] ?? type
  const titleOf = ({ product }: Issue) => nameOf(product) ?? product
  return (
    <section aria-label={name}>
      <Typography component="h2" variant="h6" sx={{ mb: 1 }}>
        {name}
      </Typography>
      {issues.length > 0 && (
        <DataTable
          rows={issues}
          keyOf={(issue) => issue['@id']}
          rowProps={() => ({ hover: true })}
          columns={[
            { title: words.product, content: titleOf, sx: { overflowWrap: 'anywhere', fontWeight: 600 } },
            { title: words.issue, content: ({ message }) => message, sx: { overflowWrap: 'anywhere' } },
            {
              align: 'right',
              content: (issue) => (
                <Button
                  component={Link}
                  to={pageOf(issue)}
                  size="small"
                  aria-label={messages('fields').labelled(words.resolve, titleOf(issue))}
                >
                  {words.resolve}
                </Button>
              ),
            },
          ]}
        />
      )}
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => fetchNextPage()} sx={{ mt: 1 }}>
          {next}
        </Button>
      )}
    </section>
  )
}
