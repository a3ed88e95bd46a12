import {
  ArrayInput,
  AutocompleteInput,
  BooleanInput,
  Create,
  CreateButton,
  Datagrid,
  FunctionField,
  List,
  type RaRecord,
  required,
  SelectInput,
  SimpleFormIterator,
  TextInput,
  TopToolbar,
  useSourceContext,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { TextsInput } from '../fields/Chips.tsx'
import { When } from '../fields/When.tsx'
import { History } from '../history/History.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Section } from '../layout/Section.tsx'
import { DefinitionInput } from './metaobjects.tsx'
import { type FieldDefinition, textsIn, useFieldTypes, useTypeNames } from './types.ts'

export function DefinitionList() {
  const words = useWords('content')
  return (
    <List
      sort={{ field: 'createdAt', order: 'DESC' }}
      perPage={25}
      exporter={false}
      actions={
        <TopToolbar>
          <CreateButton label={words.newDefinition} />
        </TopToolbar>
      }
    >
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <FunctionField
          label={words.definition}
          sortable={false}
          render={({ name, type }: RaRecord) => (
            <RowLink>
              <strong>{name ?? type}</strong>
            </RowLink>
          )}
        />
        <FunctionField source="type" sortable={false} render={({ type }: RaRecord) => <code>{type}</code>} />
        <FunctionField
          label={words.fields}
          sortable={false}
          render={({ fieldDefinitions }: RaRecord) => fieldDefinitions.length}
        />
        <When source="updatedAt" />
      </Datagrid>
    </List>
  )
}

export function DefinitionCreate() {
  const words = useWords('content')
  return (
    <Create redirect="edit" title={words.newDefinition} component="div">
      <Form>
        <Section title={words.definition}>
          <TextInput source="type" helperText={words.typeHelp} validate={required()} fullWidth />
          <Named />
        </Section>
        <FieldDefinitions />
      </Form>
    </Create>
  )
}

export function DefinitionEdit() {
  const words = useWords('content')
  return (
    <EditPage redirect={false}>
      <Form>
        <Section title={words.definition}>
          <TextInput source="type" readOnly fullWidth helperText={words.typeHelp} />
          <Named />
        </Section>
        <FieldDefinitions />
        <History />
      </Form>
    </EditPage>
  )
}

/** A record is called by a text, which is one of its own fields. */
function Named() {
  const words = useWords('content')
  const fields = (useWatch({ name: 'fieldDefinitions' }) ?? []) as readonly Partial<FieldDefinition>[]
  const texts = fields.filter(
    ({ key, type }) => key && type && /\/(?:single|multi)_line_text_field$/.test(type),
  )
  return (
    <>
      <TextInput source="name" fullWidth />
      <SelectInput
        source="displayNameField"
        helperText={words.displayNameHelp}
        choices={texts.map(({ key = '', name }) => ({ id: key, name: name || key }))}
        fullWidth
      />
      <TextInput source="externalId" fullWidth />
    </>
  )
}

function FieldDefinitions() {
  const words = useWords('content')
  const types = useFieldTypes()
  const typeName = useTypeNames()
  return (
    <Section title={words.fields}>
      <ArrayInput source="fieldDefinitions" label={false}>
        <SimpleFormIterator fullWidth disableClear>
          <TextInput source="key" helperText={words.keyHelp} validate={required()} fullWidth />
          <TextInput source="name" fullWidth />
          <AutocompleteInput
            source="type"
            choices={types.map((each) => ({ id: each['@id'], name: typeName(each['@id']) }))}
            validate={required()}
            fullWidth
          />
          <BooleanInput source="required" defaultValue={false} />
          <BooleanInput source="translatable" defaultValue={false} />
          <Rules />
        </SimpleFormIterator>
      </ArrayInput>
    </Section>
  )
}

/** The rules that the chosen type knows. */
function Rules() {
  const words = useWords('content')
  const { getSource } = useSourceContext()
  const type: unknown = useWatch({ name: getSource('type') })
  const known = useFieldTypes().find((each) => each['@id'] === type)?.validations ?? []
  if (known.length === 0) return null
  return (
    <ArrayInput source="validations">
      <SimpleFormIterator inline fullWidth disableClear disableReordering>
        <SelectInput
          source="name"
          choices={known.map((id) => ({ id, name: words.ruleName[id] ?? id }))}
          validate={required()}
        />
        <RuleValue />
      </SimpleFormIterator>
    </ArrayInput>
  )
}

function RuleValue() {
  const words = useWords('content')
  const { getSource } = useSourceContext()
  const name: unknown = useWatch({ name: getSource('name') })
  switch (name) {
    case 'choices':
    case 'allowed_domains':
      return (
        <TextsInput
          source="value"
          format={(value: string | undefined) => textsIn(value)}
          parse={(texts: readonly string[]) => JSON.stringify(texts)}
          sx={{ flex: 1 }}
        />
      )
    case 'metaobject_definition':
      return <DefinitionInput source="value" label={words.definition} isRequired />
    default:
      return <TextInput source="value" validate={required()} />
  }
}
