import { useQuery } from '@tanstack/react-query'
import { AutocompleteArrayInput, AutocompleteInput, type Validator } from 'react-admin'
import { everyMember } from '../core/pages.ts'
import { currentLocale } from '../core/settings.ts'

type Category = { '@id': string; title: string; ancestors: string[] }

/** Every category with its ancestors, `Clothing › Tops`, read page after page. */
export function useCategoryChoices(): { id: string; name: string }[] {
  const { data = [] } = useQuery({
    queryKey: ['categories', 'all', currentLocale()],
    queryFn: () => everyMember<Category>('/api/categories?itemsPerPage=100'),
  })
  const titles = new Map(data.map((each) => [each['@id'], each.title]))
  const named = data.map((each) => ({
    id: each['@id'],
    name: [...each.ancestors.map((iri) => titles.get(iri) ?? '…'), each.title].join(' › '),
  }))
  return named.toSorted((a, b) => a.name.localeCompare(b.name))
}

/** The IRI of a document or of a link: responses embed documents, writes send links. */
const iriOf = (value: string | { '@id': string }) => (typeof value === 'string' ? value : value['@id'])

export function CategoriesInput(props: { source: string; label?: string; helperText?: string }) {
  return (
    <AutocompleteArrayInput
      {...props}
      choices={useCategoryChoices()}
      format={(values: (string | { '@id': string })[] | undefined) => values?.map(iriOf) ?? []}
    />
  )
}

export function CategoryInput(props: {
  source: string
  label?: string
  helperText?: string
  alwaysOn?: boolean
  validate?: Validator
}) {
  const { alwaysOn: _, ...others } = props
  return <AutocompleteInput {...others} choices={useCategoryChoices()} />
}
