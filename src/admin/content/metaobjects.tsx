import { Alert } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import {
  AutocompleteInput,
  Create,
  CreateButton,
  Datagrid,
  Empty,
  FilterButton,
  FunctionField,
  List,
  type RaRecord,
  required,
  SelectInput,
  TextField,
  TextInput,
  TopToolbar,
  useRecordContext,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { everyMember } from '../core/pages.ts'
import { choices, Status } from '../fields/Status.tsx'
import { When } from '../fields/When.tsx'
import { History } from '../history/History.tsx'
import { useLanguageNames } from '../languages/names.ts'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { NoneYet } from '../layout/NoneYet.tsx'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Section } from '../layout/Section.tsx'
import { FieldInput } from './FieldInput.tsx'
import type { Definition } from './types.ts'

/** Every definition; undefined until they are read. */
function useDefinitions(): readonly Definition[] | undefined {
  return useQuery({
    queryKey: ['metaobject_definitions', 'all'],
    queryFn: () => everyMember<Definition>('/api/metaobject_definitions?itemsPerPage=100'),
  }).data
}

const definitionName = ({ name, type }: Definition) => name ?? type

/** Chooses a definition. */
export function DefinitionInput(props: {
  source: string
  label?: string
  alwaysOn?: boolean
  isRequired?: boolean
}) {
  const { alwaysOn: _, isRequired, ...others } = props
  const choices = useDefinitions()?.map((each) => ({ id: each['@id'], name: definitionName(each) })) ?? []
  return <AutocompleteInput {...others} choices={choices} {...(isRequired && { validate: required() })} />
}

export function MetaobjectList() {
  const words = useWords('content')
  const definitions = useDefinitions()
  const nameOf = new Map(definitions?.map((each) => [each['@id'], definitionName(each)]))
  return (
    <List
      filters={[
        <DefinitionInput key="definition" source="definition" alwaysOn />,
        <SelectInput key="status" source="status" choices={choices('ACTIVE', 'DRAFT')} />,
        <TextInput key="handle" source="handle" />,
      ]}
      sort={{ field: 'createdAt', order: 'DESC' }}
      perPage={25}
      exporter={false}
      empty={
        <>
          <Empty />
          {definitions?.length === 0 && <NoDefinitions />}
        </>
      }
      actions={
        <TopToolbar>
          <FilterButton />
          <CreateButton label={words.newRecord} />
        </TopToolbar>
      }
    >
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <FunctionField
          label={words.record}
          sortable={false}
          render={({ displayName, handle }: RaRecord) => (
            <RowLink>
              <strong>{displayName ?? handle}</strong>
            </RowLink>
          )}
        />
        <FunctionField
          label={words.definition}
          sortable={false}
          render={({ definition }: RaRecord) => nameOf.get(definition) ?? ''}
        />
        <TextField source="handle" sortable={false} />
        <Status source="status" sortable={false} />
        <When source="updatedAt" />
      </Datagrid>
    </List>
  )
}

export function MetaobjectCreate() {
  const words = useWords('content')
  return (
    <Create redirect="edit" title={words.newRecord} component="div">
      <Form defaultValues={{ status: 'DRAFT' }}>
        <Section title={words.record}>
          <DefinitionInput source="definition" isRequired />
        </Section>
        <Values />
        <Details />
      </Form>
    </Create>
  )
}

export function MetaobjectEdit() {
  return (
    <EditPage redirect={false}>
      <Form>
        <Values />
        <Details />
        <History />
      </Form>
    </EditPage>
  )
}

function NoDefinitions() {
  return <NoneYet resource="metaobject_definitions">{useWords('content').noDefinitions}</NoneYet>
}

/** An input for each field of the definition, in its order. */
function Values() {
  const words = useWords('content')
  const nameOf = useLanguageNames()
  const chosen: unknown = useWatch({ name: 'definition' })
  const fallbacks = useRecordContext()?.fallbacks as Readonly<Record<string, string>> | undefined
  const definitions = useDefinitions()
  const definition = definitions?.find((each) => each['@id'] === chosen)
  if (definitions?.length === 0) return <NoDefinitions />
  if (!definition)
    return (
      <Alert severity="info" sx={{ mb: 2 }}>
        {words.chooseDefinition}
      </Alert>
    )
  return (
    <Section title={definitionName(definition)}>
      {definition.fieldDefinitions.map(({ key, name, type, required: isRequired, validations }) => {
        const fellBack = fallbacks?.[`fields.${key}`]
        return (
          <FieldInput
            key={`${definition['@id']} ${key}`}
            source={`fields.${key}.value`}
            type={type}
            label={name ?? key}
            rules={validations}
            // A draft may miss fields that publishing requires. Publishing then lists them.
            note={[isRequired ? words.required : '', fellBack ? words.fellBack(nameOf(fellBack)) : '']
              .filter(Boolean)
              .join(' ')}
          />
        )
      })}
    </Section>
  )
}

function Details() {
  const words = useWords('content')
  return (
    <Section title={words.details}>
      <SelectInput source="status" choices={choices('DRAFT', 'ACTIVE')} validate={required()} />
      <TextInput source="handle" helperText={words.handleHelp} fullWidth />
      <TextInput source="externalId" fullWidth />
    </Section>
  )
}
