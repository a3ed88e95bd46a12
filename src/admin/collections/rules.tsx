import {
  ArrayInput,
  DateTimeInput,
  RadioButtonGroupInput,
  required,
  SelectInput,
  SimpleFormIterator,
  TextInput,
  useSourceContext,
} from 'react-admin'
import { useFormContext, useWatch } from 'react-hook-form'
import { CategoryInput } from '../fields/CategoryInput.tsx'
import { choices } from '../fields/Status.tsx'
import { Section } from '../layout/Section.tsx'
import { instant } from '../offers/inputs.tsx'

const equality = ['EQUALS', 'NOT_EQUALS']
const textual = [...equality, 'CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'ENDS_WITH']

/** What a rule can look at, and how. */
const operators: Readonly<Record<string, readonly string[]>> = {
  title: textual,
  tag: equality,
  vendor: textual,
  productType: textual,
  category: equality,
  status: equality,
  channel: equality,
  createdAt: ['BEFORE', 'AFTER'],
}

const fields = Object.keys(operators).map((id) => ({
  id,
  name: { productType: 'type', createdAt: 'time of creation' }[id] ?? id,
}))

/** The rules by which a collection has its products. */
export function Rules() {
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
          <Condition />
        </SimpleFormIterator>
      </ArrayInput>
    </Section>
  )
}

function Condition() {
  const { getSource } = useSourceContext()
  const { setValue } = useFormContext()
  const field = useWatch({ name: getSource('field') })
  const restart = (next: string) => {
    setValue(getSource('operator'), operators[next]?.[0] ?? null)
    setValue(getSource('value'), null)
  }
  return (
    <>
      <SelectInput
        source="field"
        choices={fields}
        onChange={({ target }) => restart(target.value)}
        validate={required()}
      />
      <SelectInput
        source="operator"
        choices={choices(...(operators[field] ?? textual))}
        validate={required()}
      />
      <Value field={field} />
    </>
  )
}

/** What there is to choose from is chosen, never typed. */
function Value({ field }: { field: unknown }) {
  switch (field) {
    case 'category':
      return <CategoryInput source="value" label="Category" validate={required()} />
    case 'status':
      return (
        <SelectInput
          source="value"
          label="Status"
          choices={choices('ACTIVE', 'DRAFT')}
          validate={required()}
        />
      )
    case 'createdAt':
      return <DateTimeInput source="value" label="Moment" parse={instant} validate={required()} />
    default:
      return <TextInput source="value" validate={required()} sx={{ flex: 1 }} />
  }
}
