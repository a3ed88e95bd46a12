import { useQuery } from '@tanstack/react-query'
import { AutocompleteInput } from 'react-admin'
import { everyMember } from '../core/pages.ts'
import { currentLocale } from '../core/settings.ts'
import { CategoryInput } from './CategoryInput.tsx'

type Collection = { readonly '@id': string; readonly title: string }

/** Chooses a category or a collection by its title. */
export function GroupInput(props: { source: 'category' | 'collection' }) {
  return props.source === 'category' ? <CategoryInput {...props} /> : <CollectionInput {...props} />
}

function CollectionInput(props: { source: string }) {
  const { data = [] } = useQuery({
    queryKey: ['collections', 'all', currentLocale()],
    queryFn: () => everyMember<Collection>('/api/collections?itemsPerPage=100&properties[]=title'),
  })
  return (
    <AutocompleteInput {...props} choices={data.map((each) => ({ id: each['@id'], name: each.title }))} />
  )
}
