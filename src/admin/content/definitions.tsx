import { Box } from '@mui/material'
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
  useRecordContext,
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
import { useDefinitions } from './metaobjects.tsx'
import { type FieldDefinition, textsIn, useFieldTypes, useTypeNames } from './types.ts'

export function DefinitionList() {
  const words = useWords('content')
  return (
    <List
      title={words.definitions}
      sort={{ field: 'createdAt', order: 'DESC' }}
      perPage={25}
      exporter={false}
      empty={false}
      actions={
        <TopToolbar>
          <CreateButton label={words.newDefinition} />
        </TopToolbar>
      }
    >
      <Datagrid
        rowClick="edit"
        bulkActionButtons={false}
        empty={<Box sx={{ p: 2 }}>{words.noDefinitions}</Box>}
      >
        <FunctionField
          label={words.definition}
          sortable={false}
          render={({ name, type }: RaRecord) => (
            <RowLink>
              <strong>{name ?? type}</strong>
            </RowLink>
          )}
        />
        <FunctionField
          label={words.type}
          sortable={false}
          render={({ type }: RaRecord) => <code>{type}</code>}
        />
        <FunctionField
          label={words.fieldCount}
          sortable={false}
          render={({ fieldDefinitions }: RaRecord) => fieldDefinitions.length}
        />
        <When source="updatedAt" label={words.changedAt} />
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
          <TextInput
            source="type"
            label={words.type}
            helperText={words.typeHelp}
            validate={required()}
            fullWidth
          />
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
    <EditPage redirect={false} title={<Name />}>
      <Form>
        <Section title={words.definition}>
          <TextInput source="type" label={words.type} readOnly fullWidth helperText={words.typeHelp} />
          <Named />
        </Section>
        <FieldDefinitions />
        <History />
      </Form>
    </EditPage>
  )
}

function Name() {
  const record = useRecordContext()
  return <>{record?.name ?? record?.type}</>
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
      <TextInput source="name" label={words.name} fullWidth />
      <SelectInput
        source="displayNameField"
        label={words.displayName}
        helperText={words.displayNameHelp}
        choices={texts.map(({ key = '', name }) => ({ id: key, name: name || key }))}
        fullWidth
      />
      <TextInput source="externalId" label={words.externalId} fullWidth />
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
          <TextInput
            source="key"
            label={words.key}
            helperText={words.keyHelp}
            validate={required()}
            fullWidth
          />
          <TextInput source="name" label={words.name} fullWidth />
          <AutocompleteInput
            source="type"
            label={words.type}
            choices={types.map((each) => ({ id: each['@id'], name: typeName(each['@id']) }))}
            validate={required()}
            fullWidth
          />
          <BooleanInput source="required" label={words.isRequired} defaultValue={false} />
          <BooleanInput source="translatable" label={words.translatable} defaultValue={false} />
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
    <ArrayInput source="validations" label={words.rules}>
      <SimpleFormIterator inline fullWidth disableClear disableReordering>
        <SelectInput
          source="name"
          label={words.ruleLabel}
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
          label={words.ruleValue}
          format={(value: string | undefined) => textsIn(value)}
          parse={(texts: readonly string[]) => JSON.stringify(texts)}
          sx={{ flex: 1 }}
        />
      )
    case 'metaobject_definition':
      return <DefinitionChoice />
    default:
      return <TextInput source="value" label={words.ruleValue} validate={required()} />
  }
}

function DefinitionChoice() {
  const words = useWords('content')
  const definitions = useDefinitions() ?? []
  return (
    <AutocompleteInput
      source="value"
      label={words.definition}
      choices={definitions.map((each) => ({ id: each['@id'], name: each.name ?? each.type }))}
      validate={required()}
    />
  )
}
