import { Box } from '@mui/material'
import { FunctionField, ReferenceField, TextField, useRecordContext } from 'react-admin'
import { messages } from '../core/language.ts'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Picture } from './Picture.tsx'

/** A title, which is the link of its row, with the readable key below it. */
export function Title(_: { label?: string; source?: string }) {
  const record = useRecordContext()
  if (!record) return null
  return (
    <Box sx={{ minWidth: { xs: 120, sm: 0 } }}>
      <RowLink>
        <Box sx={{ fontWeight: 600 }}>{record.title}</Box>
      </RowLink>
      <Box sx={{ opacity: 0.75, fontSize: '0.8em' }}>{record.handle}</Box>
    </Box>
  )
}

/** The title of an offer's page: its kind, and the product that it is for. */
export function OfferName({ kind }: { kind: string }) {
  return (
    <>
      {kind} (
      <ReferenceField source="product" reference="products" link={false}>
        <TextField source="title" variant="inherit" />
      </ReferenceField>
      )
    </>
  )
}

/** A variant by its values, or by its key where its product has no options. */
export function variantName(variant: Readonly<Record<string, unknown>> | undefined): string {
  return String(variant?.title ?? variant?.sku ?? messages('fields').onlyVariant)
}

/** The variant of an offer: picture and title of the product, and the name of the variant. */
export function OfferedVariant(_: { label?: string }) {
  const offer = useRecordContext()
  return (
    <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
      <ReferenceField source="product" reference="products" link={false}>
        <Picture size={36} />
      </ReferenceField>
      <Box sx={{ minWidth: { xs: 110, sm: 0 } }}>
        <RowLink>
          <ReferenceField source="product" reference="products" link={false}>
            <VariantOf iri={offer?.variant} />
          </ReferenceField>
        </RowLink>
      </Box>
    </Box>
  )
}

/** The product of the context and a variant of it. Only variants that the product's document does not embed are read. */
function VariantOf({ iri = '' }: { iri: string | undefined }) {
  const product = useRecordContext()
  const variant = product?.variants?.find((each: { '@id': string }) => each['@id'] === iri)
  return (
    <>
      <Box sx={{ fontWeight: 600 }}>{product?.title}</Box>
      <Box sx={{ opacity: 0.75, fontSize: '0.85em' }}>
        {variant ? (
          variantName(variant)
        ) : (
          <ReferenceField
            record={{ id: iri, variant: iri }}
            source="variant"
            reference="variants"
            link={false}
          >
            <FunctionField render={variantName} />
          </ReferenceField>
        )}
      </Box>
    </>
  )
}
