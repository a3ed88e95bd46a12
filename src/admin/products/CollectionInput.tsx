import { useQuery } from '@tanstack/react-query'
import { AutocompleteInput } from 'react-admin'
import { everyMember } from '../core/pages.ts'
import { currentLocale } from '../core/settings.ts'

type Collection = { readonly '@id': string; readonly title: string }

/** Chooses a collection by its title. */
export function CollectionInput(props: { source: string }) {
  const { data = [] } = useQuery({
    queryKey: ['collections', 'all', currentLocale()],
    queryFn: () => everyMember<Collection>('/api/collections?itemsPerPage=100&properties[]=title'),
  })
  return (
    <AutocompleteInput {...props} choices={data.map((each) => ({ id: each['@id'], name: each.title }))} />
  )
}
