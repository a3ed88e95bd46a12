import { Box, Button } from '@mui/material'
import {
  BooleanInput,
  Create,
  CreateButton,
  Datagrid,
  DeleteButton,
  FilterButton,
  FunctionField,
  Link,
  List,
  NumberInput,
  required,
  SaveButton,
  SelectInput,
  TextArrayInput,
  TextInput,
  Toolbar,
  TopToolbar,
} from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { Chips } from '../fields/Chips.tsx'
import { DecimalInput } from '../fields/DecimalInput.tsx'
import { Money } from '../fields/Money.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { OfferedVariant } from '../fields/Title.tsx'
import { When } from '../fields/When.tsx'
import { History } from '../history/History.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { saleWords } from '../sale/words.ts'
import { CurrencyInput, VariantInput, WindowInputs } from './inputs.tsx'

const filters = [
  <SelectInput
    key="state"
    source="state"
    alwaysOn
    choices={choices('LIVE', 'SCHEDULED', 'EXPIRED', 'INACTIVE')}
  />,
  <TextInput key="channel" source="channel" alwaysOn />,
  <TextInput key="country" source="country" />,
  <TextInput key="currency" source="currency" />,
]

export function SaleOfferList() {
  return (
    <List filters={filters} sort={{ field: 'createdAt', order: 'DESC' }} perPage={25} actions={<Above />}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <OfferedVariant label="For" />
        <Money source="amount" before="compareAtAmount" label="Price" />
        <FunctionField label="Channel" sortable={false} render={({ channel }) => channel ?? 'every'} />
        <Chips source="countries" all="every" label="Countries" sortable={false} />
        <Status source="state" label="State" sortable={false} />
        <When source="validUntil" absent="no end" label="Until" />
        <FunctionField label="Priority" sortable={false} render={({ priority }) => priority} />
      </Datagrid>
    </List>
  )
}

function Above() {
  const words = useWords(saleWords)
  return (
    <TopToolbar>
      <FilterButton />
      <Button component={Link} to="/sale" size="small">
        {words.open}
      </Button>
      <CreateButton />
    </TopToolbar>
  )
}

export function SaleOfferCreate() {
  const defaults = {
    currency: 'EUR',
    status: 'ACTIVE',
    taxIncluded: true,
    priority: 0,
    minQuantity: 1,
    countries: [],
  }
  return (
    <Create redirect="list" title="New price" component="div" transform={withoutProduct}>
      <Form defaultValues={defaults}>
        <Section title="For what">
          <VariantInput />
        </Section>
        <Terms />
      </Form>
    </Create>
  )
}

export function SaleOfferEdit() {
  return (
    <EditPage title="Price">
      <Form toolbar={<Actions />}>
        <Section title="For what">
          <OfferedVariant />
        </Section>
        <Terms />
        <History />
      </Form>
    </EditPage>
  )
}

function Terms() {
  return (
    <>
      <Section title="Price">
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(180px, 1fr))' }}>
          <DecimalInput source="amount" currency="currency" validate={required()} />
          <DecimalInput
            source="compareAtAmount"
            label="Before"
            currency="currency"
            helperText="A higher amount, shown struck through."
          />
          <CurrencyInput />
        </Box>
        <BooleanInput source="taxIncluded" label="Tax is included" />
      </Section>
      <Section title="Where and when">
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(220px, 1fr))' }}>
          <TextInput source="channel" helperText="Left open: every channel." />
          <TextArrayInput source="countries" helperText="Two letters each; none is every country." />
          <WindowInputs />
        </Box>
      </Section>
      <Section title="Which wins" open={false}>
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(180px, 1fr))' }}>
          <NumberInput source="priority" helperText="The highest wins." />
          <NumberInput source="minQuantity" label="From this quantity" min={1} />
          <SelectInput
            source="status"
            choices={choices('ACTIVE', 'DRAFT', 'ARCHIVED')}
            validate={required()}
          />
        </Box>
      </Section>
    </>
  )
}

function Actions() {
  return (
    <Toolbar sx={{ justifyContent: 'space-between' }}>
      <SaveButton />
      <DeleteButton label="Archive" mutationMode="pessimistic" />
    </Toolbar>
  )
}

export function withoutProduct({ product: _, ...offer }: Record<string, unknown>) {
  return offer
}
