import { Alert, Box, Button, CircularProgress, Stack, TextField, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Title } from 'react-admin'
import { useNavigate, useParams } from 'react-router-dom'
import type { Fields } from '../core/changed.ts'
import { useWords } from '../core/i18n.ts'
import { everyMember } from '../core/pages.ts'
import { currentShopper } from '../core/settings.ts'
import { Choice } from '../fields/Choice.tsx'
import { Section } from '../layout/Section.tsx'
import { type GridData, PriceGrid } from '../prices/PriceGrid.tsx'
import { gridAddress } from './address.ts'
import { mostProducts, nameFilters, type ReadGrid, readGrid, readGridAgain } from './read.ts'
import { useGridWords } from './words.ts'

/** Variants of many products with their prices, typed into like a spreadsheet. The address has the filter that selects the products. */
export function GridPage() {
  const words = useGridWords()
  const { filter } = useParams()
  return (
    <Box sx={{ pt: 2 }}>
      <Title title={words.pageTitle} />
      {filter === undefined ? <Chooser /> : <Rows key={filter} filter={filter} />}
    </Box>
  )
}

function Rows({ filter }: { filter: string }) {
  const words = useGridWords()
  const client = useQueryClient()
  const [done, setDone] = useState(0)
  const queryKey = ['grid', filter]
  const { data, error } = useQuery({
    queryKey,
    queryFn: () => readGrid(JSON.parse(filter) as Fields, setDone),
    // Unsaved input is compared with the read values, so only a user's action reads them again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error && !data) return <Alert severity="warning">{error.message}</Alert>
  if (!data)
    return (
      <Stack direction="row" spacing={2} sx={{ m: 2, alignItems: 'center' }}>
        <CircularProgress size={24} />
        <Typography>{words.reading(done)}</Typography>
      </Stack>
    )
  const read = async (products: ReadonlySet<string>): Promise<GridData> => {
    const fresh = await readGridAgain(client.getQueryData<ReadGrid>(queryKey) ?? data, products)
    client.setQueryData(queryKey, fresh)
    return fresh
  }
  const { channel } = currentShopper()
  const usual = data.offers.length === 0 ? [{ channel, countries: [], currency: 'EUR' }] : []
  return (
    <>
      <Button component={Link} to="/grid" size="small">
        {words.otherRows}
      </Button>
      {data.missing.length > 0 && (
        <Alert severity="warning" sx={{ my: 1, overflowWrap: 'anywhere' }}>
          {words.missing(data.missing.length, data.missing.slice(0, 50).join(', '))}
        </Alert>
      )}
      {data.total > mostProducts && (
        <Alert severity="info" sx={{ my: 1 }}>
          {words.onlyFirst(mostProducts, data.total)}
        </Alert>
      )}
      <PriceGrid rows={data.rows} offers={data.offers} columns={usual} hasProperties read={read} />
    </>
  )
}

type Collection = { readonly '@id': string; readonly title: string }

/** Chooses the rows: pasted names, a collection, or the list of products. */
function Chooser() {
  const words = useGridWords()
  const navigate = useNavigate()
  const labels: Readonly<Record<string, string>> = useWords('labels').resources.variants.fields
  const [kind, setKind] = useState<(typeof nameFilters)[number]>('sku[]')
  const [names, setNames] = useState('')
  const { data: collections = [] } = useQuery({
    queryKey: ['grid collections'],
    queryFn: () => everyMember<Collection>('/api/collections?itemsPerPage=100'),
  })
  const list = [...new Set(names.split(/[\t\r\n]+/).map((each) => each.trim()))].filter(Boolean)
  return (
    <>
      <Section title={words.byNames}>
        <Stack spacing={2} sx={{ pt: 1, maxWidth: 480 }}>
          <Choice
            label={words.kindOfNames}
            value={kind}
            choices={nameFilters.map((each) => [each, labels[each.slice(0, -2)] ?? each] as const)}
            onChoose={setKind}
          />
          <TextField
            multiline
            minRows={4}
            maxRows={12}
            label={words.names}
            helperText={words.namesHint(mostProducts)}
            value={names}
            onChange={({ target }) => setNames(target.value)}
          />
          <Box>
            <Button
              variant="contained"
              disabled={list.length === 0 || list.length > mostProducts}
              onClick={() => navigate(gridAddress({ [kind]: list }))}
            >
              {words.openRows(list.length)}
            </Button>
          </Box>
        </Stack>
      </Section>
      <Section title={words.byCollection}>
        <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap', pt: 1 }}>
          {collections.map((each) => (
            <Button
              key={each['@id']}
              component={Link}
              variant="outlined"
              size="small"
              to={gridAddress({ collection: each['@id'] })}
            >
              {each.title}
            </Button>
          ))}
        </Stack>
      </Section>
      <Section title={words.byList}>
        <Button component={Link} to="/products" size="small">
          {words.toProducts}
        </Button>
      </Section>
    </>
  )
}
