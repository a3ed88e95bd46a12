import { Create, NumberInput, required, TextInput, useRecordContext } from 'react-admin'
import { CustomFields } from '../content/CustomFields.tsx'
import { CategoryInput } from '../fields/CategoryInput.tsx'
import { History } from '../history/History.tsx'
import { Languages } from '../languages/Languages.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'

export function CategoryCreate() {
  return (
    <Create redirect="list" title="New category" component="div">
      <Form>
        <CategoryInputs />
      </Form>
    </Create>
  )
}

export function CategoryEdit() {
  return (
    <EditPage title={<Name />}>
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
  return (
    <Section title="Category">
      <TextInput source="title" validate={required()} fullWidth />
      <TextInput source="description" multiline minRows={2} fullWidth />
      <CategoryInput source="parent" label="Below" helperText="Left open, it stands at the top." />
      <NumberInput
        source="position"
        min={-1}
        helperText="Its place among its neighbours from 0; -1 is the end."
      />
      <TextInput
        source="handle"
        helperText="The readable key; made from the title when left open."
        fullWidth
      />
      <TextInput source="externalId" label="Identifier in another system" fullWidth />
    </Section>
  )
}

function Name() {
  return <>{useRecordContext()?.title}</>
}
