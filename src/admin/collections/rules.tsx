import {
  ArrayInput,
  RadioButtonGroupInput,
  required,
  SelectInput,
  SimpleFormIterator,
  TextInput,
  useSourceContext,
} from 'react-admin'
import { useFormContext, useWatch } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { zoneText } from '../core/zone.ts'
import { CategoryInput } from '../fields/CategoryInput.tsx'
import { MomentInput } from '../fields/MomentInput.tsx'
import { Section } from '../layout/Section.tsx'
import { Found } from './found.tsx'
import { KnownTextInput } from './known.tsx'

const equality = ['EQUALS', 'NOT_EQUALS'] as const
const textual = [...equality, 'CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'ENDS_WITH'] as const

/** The fields of a rule, and the operators of each. */
const operators = {
  title: textual,
  tag: equality,
  vendor: textual,
  productType: textual,
  category: equality,
  status: equality,
  channel: equality,
  createdAt: ['BEFORE', 'AFTER'],
} as const

type Field = keyof typeof operators

const isField = (field: unknown): field is Field =>
  typeof field === 'string' && Object.hasOwn(operators, field)

/** The rules by which a collection has its products, and how many they find as one writes them. */
export function Rules() {
  const words = useWords('rules')
  return (
    <Section title={words.rules}>
      <RadioButtonGroupInput
        source="rules.match"
        label={words.productIsIn}
        choices={[
          { id: 'ALL', name: words.all },
          { id: 'ANY', name: words.any },
        ]}
      />
      <ArrayInput source="rules.conditions" label={false} validate={required()}>
        <SimpleFormIterator
          inline
          fullWidth
          disableClear
          disableReordering
          sx={{ '& .RaSimpleFormIterator-form': { flexWrap: 'wrap' } }}
        >
          <Condition />
        </SimpleFormIterator>
      </ArrayInput>
      <Found />
    </Section>
  )
}

function Condition() {
  const words = useWords('rules')
  const { getSource } = useSourceContext()
  const { setValue } = useFormContext()
  const field: unknown = useWatch({ name: getSource('field') })
  const restart = (next: unknown) => {
    setValue(getSource('operator'), isField(next) ? operators[next][0] : null)
    setValue(getSource('value'), null)
  }
  const offered = isField(field) ? operators[field] : textual
  return (
    <>
      <SelectInput
        source="field"
        label={words.what}
        choices={Object.entries(words.field).map(([id, name]) => ({ id, name }))}
        onChange={({ target }) => restart(target.value)}
        validate={required()}
      />
      <SelectInput
        source="operator"
        label={words.how}
        choices={offered.map((id) => ({ id, name: words.operator[id] }))}
        validate={required()}
      />
      <Value field={field} />
    </>
  )
}

/** Inputs that offer the existing values, so that users need not remember them. */
function Value({ field }: { field: unknown }) {
  const words = useWords('rules')
  switch (field) {
    case 'category':
      return <CategoryInput source="value" label={words.field.category} validate={required()} />
    case 'status':
      return (
        <SelectInput
          source="value"
          label={words.field.status}
          choices={Object.entries(words.status).map(([id, name]) => ({ id, name }))}
          validate={required()}
        />
      )
    case 'createdAt':
      return <MomentInput source="value" label={words.value} helperText={zoneText()} validate={required()} />
    case 'tag':
    case 'vendor':
    case 'productType':
    case 'channel':
      return <KnownTextInput source="value" label={words.field[field]} of={field} />
    default:
      return <TextInput source="value" label={words.value} validate={required()} sx={{ flex: 1 }} />
  }
}
