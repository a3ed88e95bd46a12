import { Autocomplete, TextField } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { everyMember } from '../core/pages.ts'
import { variantName } from '../fields/Title.tsx'

export type Variant = {
  readonly '@id': string
  readonly title: string | null
  readonly sku: string | null
  readonly status?: string
}

/** Every variant of a product that is not archived, in its order. */
export function useVariants(product: string): {
  readonly variants: readonly Variant[]
  readonly error: Error | null
} {
  const { data = [], error } = useQuery({
    queryKey: ['variants', 'every', product],
    queryFn: () => readVariants(product),
  })
  return { variants: data, error }
}

/** Every variant of a product that is not archived, page after page. */
export async function readVariants(product: string): Promise<Variant[]> {
  const variants = await everyMember<Variant>(`${product}/variants?itemsPerPage=100`)
  return variants.filter(({ status }) => status !== 'ARCHIVED')
}

/** Chooses one of a product's variants; nothing is shown where there is one alone. */
export function VariantChoice({
  label,
  variants,
  chosen,
  onChoose,
}: {
  label: string
  variants: readonly Variant[]
  chosen: Variant
  onChoose: (variant: Variant) => void
}) {
  if (variants.length < 2) return null
  return (
    <Autocomplete
      options={variants}
      value={chosen}
      disableClearable
      size="small"
      getOptionKey={(each) => each['@id']}
      getOptionLabel={variantName}
      isOptionEqualToValue={(a, b) => a['@id'] === b['@id']}
      onChange={(_, next) => onChoose(next)}
      sx={{ minWidth: 220, flex: '1 1 220px', maxWidth: 360 }}
      renderInput={(params) => <TextField {...params} label={label} />}
    />
  )
}
