import {
  Create,
  Datagrid,
  FormDataConsumer,
  List,
  RadioButtonGroupInput,
  required,
  SelectInput,
  TextField,
  TextInput,
} from 'react-admin'
import { useWords } from '../core/i18n.ts'
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
  <SelectInput
    key="type"
    source="type"
    alwaysOn
    choices={choices('MANUAL', 'RULE_BASED')}
    sx={{ minWidth: 260 }}
  />,
  <TextInput key="handle" source="handle" />,
]

export function CollectionList() {
  const words = useWords('collections')
  return (
    <List filters={filters} sort={{ field: 'createdAt', order: 'DESC' }} perPage={25} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <Title source="title" label={words.collection} />
        <Status source="type" label={words.chosen} sortable={false} />
        <TextField source="productsCount" sortable={false} />
        <When source="updatedAt" />
      </Datagrid>
    </List>
  )
}

export function CollectionCreate() {
  const words = useWords('collections')
  return (
    <Create redirect="edit" title={words.newCollection} component="div" transform={withFittingRules}>
      <Form defaultValues={{ type: 'MANUAL', rules: { match: 'ALL' } }}>
        <Section title={words.collection}>
          <RadioButtonGroupInput source="type" choices={choices('MANUAL', 'RULE_BASED')} />
          <Texts />
        </Section>
        <FormDataConsumer>{({ formData }) => formData.type === 'RULE_BASED' && <Rules />}</FormDataConsumer>
      </Form>
    </Create>
  )
}

export function CollectionEdit() {
  const words = useWords('collections')
  return (
    <EditPage redirect={false}>
      <Form>
        <Section title={words.collection}>
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
  const words = useWords('collections')
  return (
    <>
      <TextInput source="title" validate={required()} fullWidth />
      <TextInput source="description" multiline minRows={2} fullWidth />
      <TextInput source="handle" helperText={words.handleHint} fullWidth />
    </>
  )
}
