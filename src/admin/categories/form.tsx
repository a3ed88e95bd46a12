import { Create, NumberInput, required, TextInput } from 'react-admin'
import { CustomFields } from '../content/CustomFields.tsx'
import { useWords } from '../core/i18n.ts'
import { CategoryInput } from '../fields/CategoryInput.tsx'
import { measuredUnits, QuantityInput } from '../fields/DecimalInput.tsx'
import { History } from '../history/History.tsx'
import { Languages } from '../languages/Languages.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'

export function CategoryCreate() {
  const words = useWords('categories')
  return (
    <Create redirect="list" title={words.newCategory} component="div">
      <Form>
        <CategoryInputs />
      </Form>
    </Create>
  )
}

export function CategoryEdit() {
  return (
    <EditPage>
      <Form>
        <CategoryInputs />
        <CustomFields />
        <Languages />
        <History />
      </Form>
    </EditPage>
  )
}

function CategoryInputs() {
  const words = useWords('categories')
  return (
    <Section title={words.category}>
      <TextInput source="title" validate={required()} fullWidth />
      <TextInput source="description" multiline minRows={2} fullWidth />
      <CategoryInput source="parent" helperText={words.parentHint} />
      <NumberInput source="position" min={-1} helperText={words.positionHint} />
      <QuantityInput source="referenceUnit" units={measuredUnits} helperText={words.referenceUnitHint} />
      <TextInput source="handle" helperText={words.handleHint} fullWidth />
      <TextInput source="externalId" fullWidth />
    </Section>
  )
}
