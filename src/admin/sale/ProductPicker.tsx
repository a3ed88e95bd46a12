import { Alert, Autocomplete, Box, Button, Checkbox, TextField, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { everyMember, everyPage } from '../core/pages.ts'
import { currentLocale } from '../core/settings.ts'
import { useCategoryChoices } from '../fields/CategoryInput.tsx'
import { DataTable } from '../layout/DataTable.tsx'
import { NoneYet } from '../layout/NoneYet.tsx'
import { mostProducts, type Product } from './read.ts'

/** Products by IRI. */
export type Chosen = ReadonlyMap<string, Product>

type Collection = { readonly id: string; readonly title: string }
type Page = { readonly member: readonly Product[]; readonly totalItems: number }

/** Chooses products: by search, category and collection, one by one or all that are found. */
export function ProductPicker({ chosen, onChoose }: { chosen: Chosen; onChoose: (chosen: Chosen) => void }) {
  const words = useWords('sale')
  const categories = useCategoryChoices()
  const [q, setQ] = useState('')
  const [category, setCategory] = useState<{ id: string; name: string } | null>(null)
  const [collection, setCollection] = useState<Collection | null>(null)
  const { data: collections = [] } = useQuery({
    queryKey: ['sale collections', currentLocale()],
    queryFn: () => everyMember<Collection>('/api/collections?itemsPerPage=100'),
  })
  const [problem, setProblem] = useState('')
  const query = queryOf(useDeferredValue(q).trim(), category?.id, collection?.id)
  const { data, error } = useQuery({
    queryKey: ['sale products', String(query), currentLocale()],
    queryFn: async () => (await call<Page>(`/api/products?${query}&itemsPerPage=25`)).json,
    placeholderData: (before) => before,
  })
  const isFull = chosen.size >= mostProducts
  const toggle = (product: Product) => {
    const next = new Map(chosen)
    if (!next.delete(product['@id']) && !isFull) next.set(product['@id'], product)
    onChoose(next)
  }
  const chooseAll = async () => {
    try {
      const next = new Map(chosen)
      for await (const { members } of everyPage<Product>(`/api/products?${query}&itemsPerPage=100`)) {
        for (const each of members) if (next.size < mostProducts) next.set(each['@id'], each)
        if (next.size >= mostProducts) break
      }
      onChoose(next)
    } catch (failure) {
      setProblem((failure as Error).message)
    }
  }
  const total = data?.totalItems ?? 0
  if (data?.totalItems === 0 && q === '' && !category && !collection) return <NoneYet resource="products" />
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', pt: 1, mb: 1 }}>
        <TextField
          type="search"
          size="small"
          label={words.search}
          value={q}
          onChange={({ target }) => setQ(target.value)}
          sx={{ flex: '1 1 220px' }}
        />
        <Autocomplete
          options={categories}
          value={category}
          size="small"
          getOptionKey={({ id }) => id}
          getOptionLabel={({ name }) => name}
          isOptionEqualToValue={(a, b) => a.id === b.id}
          onChange={(_, next) => setCategory(next)}
          sx={{ flex: '1 1 220px' }}
          renderInput={(params) => <TextField {...params} label={words.category} />}
        />
        <Autocomplete
          options={collections}
          value={collection}
          size="small"
          getOptionKey={({ id }) => id}
          getOptionLabel={({ title }) => title}
          isOptionEqualToValue={(a, b) => a.id === b.id}
          onChange={(_, next) => setCollection(next)}
          sx={{ flex: '1 1 220px' }}
          renderInput={(params) => <TextField {...params} label={words.collection} />}
        />
      </Box>
      {(error || problem) && <Alert severity="warning">{error?.message ?? problem}</Alert>}
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center', minHeight: 36 }}>
        <Typography variant="body2" role="status">
          {chosen.size > 0 && `${words.chosen(chosen.size)} `}
          {data && (total > 0 ? words.found(total) : words.noneFound)}{' '}
          {data && total > data.member.length && words.firstOf(data.member.length, total)}
        </Typography>
        {total > 0 && (
          <Button size="small" onClick={chooseAll}>
            {total > mostProducts ? words.chooseFirst(mostProducts) : words.chooseAll(total)}
          </Button>
        )}
        {chosen.size > 0 && (
          <Button size="small" onClick={() => onChoose(new Map())}>
            {words.clear}
          </Button>
        )}
      </Box>
      {(isFull || total > mostProducts) && <Alert severity="info">{words.mostProducts(mostProducts)}</Alert>}
      {total > 0 && (
        <Box sx={{ overflow: 'auto', maxHeight: 320 }}>
          <DataTable
            label={words.products}
            rows={data?.member ?? []}
            keyOf={(each) => each['@id']}
            rowProps={(each) => ({ hover: true, onClick: () => toggle(each), sx: { cursor: 'pointer' } })}
            columns={[
              {
                padding: 'checkbox',
                content: (each) => (
                  <Checkbox
                    size="small"
                    checked={chosen.has(each['@id'])}
                    onClick={(event) => event.stopPropagation()}
                    disabled={isFull && !chosen.has(each['@id'])}
                    onChange={() => toggle(each)}
                    slotProps={{ input: { 'aria-label': words.choose(each.title) } }}
                  />
                ),
              },
              { title: words.product, content: ({ title }) => title },
              { title: words.variants, align: 'right', content: ({ variantsTotal }) => variantsTotal },
            ]}
          />
        </Box>
      )}
    </>
  )
}

function queryOf(q: string, category: string | undefined, collection: string | undefined): URLSearchParams {
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(category && { category }),
    ...(collection && { collection }),
  })
  for (const name of ['title', 'variantsTotal']) query.append('properties[]', name)
  return query
}
