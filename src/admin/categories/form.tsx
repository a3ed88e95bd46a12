import { Create, Edit, NumberInput, required, SimpleForm, TextInput, useRecordContext } from 'react-admin'
import { CategoryInput } from '../fields/CategoryInput.tsx'
import { Section } from '../layout/Section.tsx'

export function CategoryCreate() {
  return (
    <Create redirect="list" title="New category" component="div">
      <SimpleForm>
        <CategoryInputs />
      </SimpleForm>
    </Create>
  )
}

export function CategoryEdit() {
  return (
    <Edit mutationMode="pessimistic" title={<Name />} component="div">
      <SimpleForm>
        <CategoryInputs />
      </SimpleForm>
    </Edit>
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
