import { Box } from '@mui/material'
import {
  ArrayInput,
  type RaRecord,
  ReferenceField,
  required,
  SaveButton,
  SelectInput,
  SimpleFormIterator,
  TextField,
  TextInput,
  Toolbar,
  useRecordContext,
  useRedirect,
} from 'react-admin'
import { CustomFields } from '../content/CustomFields.tsx'
import { DecimalInput } from '../fields/DecimalInput.tsx'
import { choices } from '../fields/Status.tsx'
import { variantName } from '../fields/Title.tsx'
import { History } from '../history/History.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'

export function VariantEdit() {
  const redirect = useRedirect()
  const onSuccess = ({ product }: RaRecord) => redirect('edit', 'products', product)
  return (
    <EditPage mutationOptions={{ onSuccess }} title={<Name />}>
      <Form
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
            <DecimalInput source="weight.value" label="Weight" asNumber />
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
        <CustomFields />
        <History />
      </Form>
    </EditPage>
  )
}

function Name() {
  return <>{variantName(useRecordContext())}</>
}
