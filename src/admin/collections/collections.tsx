import {
  ArrayInput,
  Create,
  Datagrid,
  Edit,
  FormDataConsumer,
  FunctionField,
  List,
  RadioButtonGroupInput,
  required,
  SelectInput,
  SimpleForm,
  SimpleFormIterator,
  TextInput,
  useRecordContext,
} from 'react-admin'
import { choices, Status } from '../fields/Status.tsx'
import { Title } from '../fields/Title.tsx'
import { When } from '../fields/When.tsx'
import { Section } from '../layout/Section.tsx'
import { Members } from './members.tsx'

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
      <SimpleForm defaultValues={{ type: 'MANUAL', rules: { match: 'ALL' } }}>
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
      </SimpleForm>
    </Create>
  )
}

export function CollectionEdit() {
  return (
    <Edit mutationMode="pessimistic" redirect={false} title={<Name />} component="div">
      <SimpleForm>
        <Section title="Collection">
          <Texts />
        </Section>
        <FormDataConsumer>{({ formData }) => formData.type === 'RULE_BASED' && <Rules />}</FormDataConsumer>
        <Members />
      </SimpleForm>
    </Edit>
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

const fields = ['title', 'tag', 'vendor', 'productType', 'category', 'status', 'channel', 'createdAt']
const operators = choices(
  'EQUALS',
  'NOT_EQUALS',
  'CONTAINS',
  'NOT_CONTAINS',
  'STARTS_WITH',
  'ENDS_WITH',
  'BEFORE',
  'AFTER',
)

function Rules() {
  return (
    <Section title="Rules">
      <RadioButtonGroupInput
        source="rules.match"
        label="A product is in it when"
        choices={[
          { id: 'ALL', name: 'all of these hold' },
          { id: 'ANY', name: 'one of these holds' },
        ]}
      />
      <ArrayInput source="rules.conditions" label={false} validate={required()}>
        <SimpleFormIterator inline fullWidth disableClear disableReordering>
          <SelectInput
            source="field"
            choices={fields.map((id) => ({ id, name: id }))}
            validate={required()}
          />
          <SelectInput source="operator" choices={operators} validate={required()} />
          <TextInput source="value" validate={required()} sx={{ flex: 1 }} />
        </SimpleFormIterator>
      </ArrayInput>
    </Section>
  )
}

function Name() {
  return <>{useRecordContext()?.title}</>
}
