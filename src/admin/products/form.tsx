import { Grid } from '@mui/material'
import type { ReactNode } from 'react'
import { required, TextInput } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { zoneText } from '../core/zone.ts'
import { CategoriesInput } from '../fields/CategoryInput.tsx'
import { TextsInput } from '../fields/Chips.tsx'
import { MomentInput } from '../fields/MomentInput.tsx'
import { Section } from '../layout/Section.tsx'
import { PicturesInput } from '../pictures/PicturesInput.tsx'
import { ChannelsField } from '../prices/MarketFields.tsx'

/** The inputs of a product, new or stored; `children` follow the description. */
export function ProductInputs({ children, status }: { children?: ReactNode; status: ReactNode }) {
  const words = useWords('products')
  return (
    <Grid container spacing={2} sx={{ width: '100%' }}>
      <Grid size={{ xs: 12, md: 8 }}>
        <Section title={words.product}>
          <TextInput source="title" validate={required()} fullWidth />
          <TextInput source="description" multiline minRows={3} fullWidth />
        </Section>
        {children}
        <Section title={words.pictures} open={false}>
          <PicturesInput />
        </Section>
        <Section title={words.searchEngines} open={false}>
          <TextInput source="seo.title" fullWidth />
          <TextInput source="seo.description" multiline fullWidth />
        </Section>
      </Grid>
      <Grid size={{ xs: 12, md: 4 }}>
        <Section title={words.whereSold}>
          {status}
          <ChannelsField source="channels" helperText={words.channelsHint} />
          <CategoriesInput source="categories" />
          <MomentInput source="launchedAt" helperText={words.launchedAtHint(zoneText())} fullWidth />
        </Section>
        <Section title={words.organisation}>
          <TextInput source="vendor" fullWidth />
          <TextInput source="productType" fullWidth />
          <TextsInput source="tags" />
          <TextInput source="handle" helperText={words.handleHint} fullWidth />
          <TextInput source="externalId" fullWidth />
        </Section>
      </Grid>
    </Grid>
  )
}
