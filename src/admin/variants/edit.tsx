import { Box } from '@mui/material'
import {
  type RaRecord,
  RecordRepresentation,
  ReferenceField,
  required,
  SaveButton,
  SelectInput,
  TextField,
  TextInput,
  Toolbar,
  useRedirect,
} from 'react-admin'
import { CustomFields } from '../content/CustomFields.tsx'
import { useWords } from '../core/i18n.ts'
import { measuredUnits, QuantityInput } from '../fields/DecimalInput.tsx'
import { choices } from '../fields/Status.tsx'
import { History } from '../history/History.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { PicturesInput } from '../pictures/PicturesInput.tsx'

export function VariantEdit() {
  const words = useWords('variants')
  const redirect = useRedirect()
  const onSuccess = ({ product }: RaRecord) => redirect('edit', 'products', product)
  return (
    <EditPage mutationOptions={{ onSuccess }}>
      <Form
        toolbar={
          <Toolbar>
            <SaveButton />
          </Toolbar>
        }
      >
        <Section title={words.variant}>
          <Box sx={{ mb: 2 }}>
            <ReferenceField source="product" reference="products" link="edit">
              <TextField source="title" />
            </ReferenceField>
            {' › '}
            <RecordRepresentation />
          </Box>
          <Box sx={{ display: 'flex', gap: 2 }}>
            <TextInput source="sku" />
            <TextInput source="barcode" />
          </Box>
          <QuantityInput source="weight" units={['g', 'kg', 'oz', 'lb']} />
          <QuantityInput source="measure" units={[...measuredUnits, 'piece']} />
          <SelectInput source="status" choices={choices('ACTIVE', 'ARCHIVED')} validate={required()} />
        </Section>
        <Section title={words.pictures} open={false}>
          <PicturesInput />
        </Section>
        <CustomFields />
        <History />
      </Form>
    </EditPage>
  )
}
