import {
  Create,
  Datagrid,
  FormDataConsumer,
  FunctionField,
  List,
  RadioButtonGroupInput,
  required,
  SelectInput,
  TextInput,
  useRecordContext,
} from 'react-admin'
import { choices, Status } from '../fields/Status.tsx'
import { Title } from '../fields/Title.tsx'
import { When } from '../fields/When.tsx'
import { History } from '../history/History.tsx'
import { Languages } from '../languages/Languages.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { Members } from './members.tsx'
import { Rules } from './rules.tsx'

const filters = [
  <SelectInput key="type" source="type" alwaysOn choices={choices('MANUAL', 'RULE_BASED')} />,
  <TextInput key="handle" source="handle" />,
]

export function CollectionList() {
  return (
    <List filters={filters} sort={{ field: 'createdAt', order: 'DESC' }} perPage={25} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <Title source="title" label="Collection" />
        <Status source="type" label="Chosen" sortable={false} />
        <FunctionField label="Products" sortable={false} render={({ productsCount }) => productsCount} />
        <When source="updatedAt" label="Changed" />
      </Datagrid>
    </List>
  )
}

export function CollectionCreate() {
  return (
    <Create redirect="edit" title="New collection" component="div" transform={withFittingRules}>
      <Form defaultValues={{ type: 'MANUAL', rules: { match: 'ALL' } }}>
        <Section title="Collection">
          <RadioButtonGroupInput
            source="type"
            label="Its products are chosen"
            choices={[
              { id: 'MANUAL', name: 'one by one' },
              { id: 'RULE_BASED', name: 'by rules' },
            ]}
          />
          <Texts />
        </Section>
        <FormDataConsumer>{({ formData }) => formData.type === 'RULE_BASED' && <Rules />}</FormDataConsumer>
      </Form>
    </Create>
  )
}

export function CollectionEdit() {
  return (
    <EditPage redirect={false} title={<Name />}>
      <Form>
        <Section title="Collection">
          <Texts />
        </Section>
        <FormDataConsumer>{({ formData }) => formData.type === 'RULE_BASED' && <Rules />}</FormDataConsumer>
        <Members />
        <Languages />
        <History />
      </Form>
    </EditPage>
  )
}

/** Rules belong to a collection by rules alone. */
function withFittingRules({ rules, ...collection }: Record<string, unknown>) {
  return collection.type === 'RULE_BASED' ? { ...collection, rules } : collection
}

function Texts() {
  return (
    <>
      <TextInput source="title" validate={required()} fullWidth />
      <TextInput source="description" multiline minRows={2} fullWidth />
      <TextInput
        source="handle"
        helperText="The readable key; made from the title when left open."
        fullWidth
      />
    </>
  )
}

function Name() {
  return <>{useRecordContext()?.title}</>
}
