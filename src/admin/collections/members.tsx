import RemoveIcon from '@mui/icons-material/Remove'
import { Autocomplete, Box, Button, IconButton, TextField } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, RecordContextProvider, useCreatePath, useNotify, useRecordContext } from 'react-admin'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { Picture } from '../fields/Picture.tsx'
import { Title } from '../fields/Title.tsx'
import { gridAddress } from '../grid/address.ts'
import { Section } from '../layout/Section.tsx'

type Product = { '@id': string; id: string; title: string; handle: string }
type Page = { member: Product[]; totalItems?: number; view?: { next?: string } }

/** The products of a collection; those chosen one by one can be put in and taken out. */
export function Members() {
  const words = useWords('collections')
  const { openGrid } = useWords('grid')
  const record = useRecordContext()
  const client = useQueryClient()
  const notify = useNotify()
  const path = useCreatePath()
  const members = `${record?.id}/products`
  const manual = record?.type === 'MANUAL'
  const { data } = useQuery({
    queryKey: ['collections', 'members', members],
    enabled: record !== undefined,
    queryFn: async () => (await call<Page>(`${members}?itemsPerPage=100`)).json,
  })
  const change = async (url: string, options: RequestInit) => {
    try {
      await call(url, options)
      // The collection itself is not read again: its form may have edits.
      await client.invalidateQueries({ queryKey: ['collections', 'members'] })
    } catch (error) {
      notify((error as Error).message, { type: 'error' })
    }
  }
  if (!record) return null
  return (
    <Section title={words.products(data?.totalItems ?? record.productsCount)}>
      <Button component={Link} to={gridAddress({ collection: String(record.id) })} size="small">
        {openGrid}
      </Button>
      {manual && (
        <ProductChoice
          onChoose={(product) =>
            change(members, { method: 'POST', body: JSON.stringify({ product: product['@id'] }) })
          }
        />
      )}
      {data?.member.map((each) => (
        <Box key={each['@id']} sx={{ display: 'flex', alignItems: 'center', gap: 1.5, py: 0.75 }}>
          <RecordContextProvider value={each}>
            <Picture size={36} />
            <Box sx={{ flex: 1 }}>
              <Title />
            </Box>
          </RecordContextProvider>
          <Button
            component={Link}
            to={path({ resource: 'products', type: 'edit', id: each['@id'] })}
            size="small"
          >
            {words.open}
          </Button>
          {manual && (
            <IconButton
              aria-label={words.takeOut(each.title)}
              onClick={() => change(`${members}/${each.id}`, { method: 'DELETE' })}
            >
              <RemoveIcon fontSize="small" />
            </IconButton>
          )}
        </Box>
      ))}
      {data?.view?.next !== undefined && <Box sx={{ opacity: 0.7 }}>{words.andMore}</Box>}
    </Section>
  )
}

function ProductChoice({ onChoose }: { onChoose: (product: Product) => void }) {
  const words = useWords('collections')
  const [text, setText] = useState('')
  const { data = [] } = useQuery({
    queryKey: ['products', 'choice', text],
    queryFn: async () =>
      (await call(`/api/products?itemsPerPage=20${text ? `&q=${encodeURIComponent(text)}` : ''}`)).json
        .member as Product[],
  })
  return (
    <Autocomplete
      options={data}
      filterOptions={(found) => found}
      getOptionLabel={({ title }) => title}
      getOptionKey={(each) => each['@id']}
      inputValue={text}
      value={null}
      onInputChange={(_, value, reason) => setText(reason === 'input' ? value : '')}
      onChange={(_, product) => product && onChoose(product)}
      renderInput={(props) => <TextField {...props} label={words.putIn} />}
      sx={{ mb: 2 }}
    />
  )
}
