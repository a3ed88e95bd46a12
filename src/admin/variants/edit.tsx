import { Box } from '@mui/material'
import {
  ArrayInput,
  Edit,
  NumberInput,
  type RaRecord,
  ReferenceField,
  required,
  SaveButton,
  SelectInput,
  SimpleForm,
  SimpleFormIterator,
  TextField,
  TextInput,
  Toolbar,
  useRecordContext,
  useRedirect,
} from 'react-admin'
import { choices } from '../fields/Status.tsx'
import { variantName } from '../fields/Title.tsx'
import { Section } from '../layout/Section.tsx'

export function VariantEdit() {
  const redirect = useRedirect()
  const onSuccess = ({ product }: RaRecord) => redirect('edit', 'products', product)
  return (
    <Edit mutationMode="pessimistic" mutationOptions={{ onSuccess }} title={<Name />} component="div">
      <SimpleForm
        toolbar={
          <Toolbar>
            <SaveButton />
          </Toolbar>
        }
      >
        <Section title="Variant">
          <Box sx={{ mb: 2 }}>
            <ReferenceField source="product" reference="products" link="edit">
              <TextField source="title" />
            </ReferenceField>
            {' › '}
            <Name />
          </Box>
          <Box sx={{ display: 'flex', gap: 2 }}>
            <TextInput source="sku" label="SKU" />
            <TextInput source="barcode" label="Barcode (GTIN)" />
          </Box>
          <Box sx={{ display: 'flex', gap: 2, alignItems: 'flex-start' }}>
            <NumberInput source="weight.value" label="Weight" />
            <SelectInput
              source="weight.unit"
              label="Unit"
              choices={['g', 'kg', 'oz', 'lb'].map((id) => ({ id, name: id }))}
            />
          </Box>
          <SelectInput source="status" choices={choices('ACTIVE', 'ARCHIVED')} validate={required()} />
        </Section>
        <Section title="Pictures" open={false}>
          <ArrayInput source="media" label={false}>
            <SimpleFormIterator inline fullWidth disableClear>
              <TextInput source="url" label="Address (https://…)" validate={required()} sx={{ flex: 2 }} />
              <TextInput source="alt" label="What it shows" sx={{ flex: 1 }} />
            </SimpleFormIterator>
          </ArrayInput>
        </Section>
      </SimpleForm>
    </Edit>
  )
}

function Name() {
  return <>{variantName(useRecordContext())}</>
}
