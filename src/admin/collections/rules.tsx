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
import { useWords } from '../core/i18n.ts'
import { CategoryInput } from '../fields/CategoryInput.tsx'
import { choices } from '../fields/Status.tsx'
import { Section } from '../layout/Section.tsx'
import { instant } from '../offers/inputs.tsx'
import { collectionWords } from './words.ts'

const equality = ['EQUALS', 'NOT_EQUALS']
const textual = [...equality, 'CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'ENDS_WITH']

/** What a rule can look at, and how. */
const operators = {
  title: textual,
  tag: equality,
  vendor: textual,
  productType: textual,
  category: equality,
  status: equality,
  channel: equality,
  createdAt: ['BEFORE', 'AFTER'],
} satisfies Record<keyof (typeof collectionWords)['en']['fields'], readonly string[]>

const operatorsOf = (field: string): readonly string[] =>
  Object.entries(operators).find(([name]) => name === field)?.[1] ?? textual

/** The rules by which a collection has its products. */
export function Rules() {
  const words = useWords(collectionWords)
  return (
    <Section title={words.rules}>
      <RadioButtonGroupInput
        source="rules.match"
        choices={[
          { id: 'ALL', name: words.all },
          { id: 'ANY', name: words.any },
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
  const words = useWords(collectionWords)
  const { getSource } = useSourceContext()
  const { setValue } = useFormContext()
  const field = useWatch({ name: getSource('field') })
  const restart = (next: string) => {
    setValue(getSource('operator'), operatorsOf(next)[0] ?? null)
    setValue(getSource('value'), null)
  }
  return (
    <>
      <SelectInput
        source="field"
        choices={Object.entries(words.fields).map(([id, name]) => ({ id, name }))}
        translateChoice={false}
        onChange={({ target }) => restart(target.value)}
        validate={required()}
      />
      <SelectInput source="operator" choices={choices(...operatorsOf(field))} validate={required()} />
      <Value field={field} />
    </>
  )
}

/** What there is to choose from is chosen, never typed. */
function Value({ field }: { field: unknown }) {
  const words = useWords(collectionWords)
  switch (field) {
    case 'category':
      return <CategoryInput source="value" label={words.category} validate={required()} />
    case 'status':
      return (
        <SelectInput
          source="value"
          label={words.status}
          choices={choices('ACTIVE', 'DRAFT')}
          validate={required()}
        />
      )
    case 'createdAt':
      return <DateTimeInput source="value" label={words.moment} parse={instant} validate={required()} />
    default:
      return <TextInput source="value" validate={required()} sx={{ flex: 1 }} />
  }
}
