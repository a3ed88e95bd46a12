import { Autocomplete, TextField } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCreatePath, useGetResourceLabel, useResourceDefinitions } from 'react-admin'
import { useNavigate } from 'react-router-dom'
import { useDebounced } from '../core/debounced.ts'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { currentLocale } from '../core/settings.ts'
import { useKeyWords } from './key-words.ts'
import { Modal } from './Modal.tsx'
import { scopeOf } from './scopes.ts'

/** `detail` is the kind of destination: a page, an action, or the SKU or handle of a product. */
type Destination = { readonly name: string; readonly detail: string; readonly to: string }

type ProductPage = {
  readonly member: readonly {
    readonly '@id': string
    readonly title: string
    readonly handle: string
    readonly variants?: readonly { readonly sku: string | null }[]
  }[]
}

/** Opens any page, action or product by its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const words = useKeyWords()
  const navigate = useNavigate()
  const pages = usePages()
  const [text, setText] = useState('')
  const q = useDebounced(text.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['palette', q, currentLocale()],
    enabled: q !== '' && hasScope('products:read'),
    queryFn: async () => (await call<ProductPage>(`/api/products?${productQuery(q)}`)).json,
    placeholderData: (before) => before,
  })
  const path = useCreatePath()
  const matching = pages.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const products = q === '' ? [] : (data?.member ?? [])
  const productDestinations = products.map((each) => ({
    name: each.title,
    detail: each.variants?.[0]?.sku ?? each.handle,
    to: path({ resource: 'products', type: 'edit', id: each['@id'] }),
  }))
  return (
    <Modal title={words.palette} onClose={onClose}>
      <Autocomplete<Destination>
        open
        disablePortal
        autoHighlight
        options={[...matching, ...productDestinations]}
        // The service has found the products, also by their SKU and with typing errors.
        filterOptions={(options) => options}
        getOptionLabel={({ name }) => name}
        getOptionKey={({ to }) => to}
        loading={isFetching}
        noOptionsText={words.nothing}
        inputValue={text}
        onInputChange={(_, value, reason) => reason !== 'reset' && setText(value)}
        onChange={(_, chosen) => {
          if (!chosen) return
          onClose()
          navigate(chosen.to)
        }}
        renderOption={({ key, ...props }, { name, detail }) => (
          <li key={key} {...props}>
            {name}
            <small style={{ marginInlineStart: 12 }}>{detail}</small>
          </li>
        )}
        slotProps={{
          popper: {
            sx: { position: 'static !important', transform: 'none !important', width: 'auto !important' },
          },
        }}
        renderInput={(params) => (
          <TextField {...params} autoFocus label={words.paletteLabel} sx={{ mt: 1 }} />
        )}
      />
    </Modal>
  )
}

function productQuery(q: string): URLSearchParams {
  const query = new URLSearchParams({ q, itemsPerPage: '8' })
  for (const name of ['title', 'handle', 'variants.sku']) query.append('properties[]', name)
  return query
}

/** The lists that the token may read, the forms of new resources that it may write, and the other pages. */
function usePages(): Destination[] {
  const words = useKeyWords()
  const others = { sale: useWords('sale').title, latest: useWords('layout').latestChanges }
  const label = useGetResourceLabel()
  const path = useCreatePath()
  const resources = Object.values(useResourceDefinitions()).filter(
    ({ name, hasList }) => hasList && hasScope(scopeOf(name, 'read')),
  )
  const lists = resources.map(({ name }) => ({
    detail: words.page,
    name: label(name),
    to: path({ resource: name, type: 'list' }),
  }))
  const created = resources
    .filter(({ name, hasCreate }) => hasCreate && hasScope(scopeOf(name, 'write')))
    .map(({ name }) => ({
      detail: words.action,
      name: words.create(label(name, 1)),
      to: path({ resource: name, type: 'create' }),
    }))
  return [
    ...lists,
    ...(hasScope('events:read') ? [{ detail: words.page, name: others.latest, to: '/latest-changes' }] : []),
    ...created,
    ...(hasScope('bulk_operations:write')
      ? [{ detail: words.action, name: words.importProducts, to: '/import' }]
      : []),
    ...(hasScope('sale_offers:write') ? [{ detail: words.action, name: others.sale, to: '/sale' }] : []),
  ]
}
