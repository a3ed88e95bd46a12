import { Grid } from '@mui/material'
import type { ReactNode } from 'react'
import { required, TextArrayInput, TextInput } from 'react-admin'
import { CategoriesInput } from '../fields/CategoryInput.tsx'
import { Section } from '../layout/Section.tsx'
import { PicturesInput } from '../pictures/PicturesInput.tsx'

/** What one says of a product, whether it is new or not; `children` stand below the description. */
export function ProductInputs({ children, status }: { children?: ReactNode; status: ReactNode }) {
  return (
    <Grid container spacing={2} sx={{ width: '100%' }}>
      <Grid size={{ xs: 12, md: 8 }}>
        <Section title="Product">
          <TextInput source="title" validate={required()} fullWidth />
          <TextInput source="description" multiline minRows={3} fullWidth />
        </Section>
        {children}
        <Section title="Pictures" open={false}>
          <PicturesInput />
        </Section>
        <Section title="Search engines" open={false}>
          <TextInput source="seo.title" label="Title" fullWidth />
          <TextInput source="seo.description" label="Description" multiline fullWidth />
        </Section>
      </Grid>
      <Grid size={{ xs: 12, md: 4 }}>
        <Section title="Where it is sold">
          {status}
          <TextArrayInput
            source="channels"
            label="Channels"
            helperText="Such as web or pos; press Enter after each."
          />
          <CategoriesInput source="categories" />
        </Section>
        <Section title="Organisation">
          <TextInput source="vendor" fullWidth />
          <TextInput source="productType" label="Type" fullWidth />
          <TextArrayInput source="tags" />
          <TextInput
            source="handle"
            helperText="The readable key; made from the title when left open."
            fullWidth
          />
          <TextInput source="externalId" label="Identifier in another system" fullWidth />
        </Section>
      </Grid>
    </Grid>
  )
}
