import { Box } from '@mui/material'
import {
  BooleanField,
  BooleanInput,
  Create,
  Datagrid,
  DeleteButton,
  FunctionField,
  List,
  NumberInput,
  required,
  SaveButton,
  SelectInput,
  TextInput,
  Toolbar,
} from 'react-admin'
import { DecimalInput } from '../fields/DecimalInput.tsx'
import { Money } from '../fields/Money.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { OfferedVariant } from '../fields/Title.tsx'
import { History } from '../history/History.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { CurrencyInput, VariantInput, WindowInputs } from './inputs.tsx'
import { withoutProduct } from './sale.tsx'

const filters = [
  <TextInput key="supplier" source="supplier" alwaysOn />,
  <SelectInput
    key="state"
    source="state"
    alwaysOn
    choices={choices('LIVE', 'SCHEDULED', 'EXPIRED', 'INACTIVE')}
  />,
]

export function PurchaseOfferList() {
  return (
    <List filters={filters} sort={{ field: 'createdAt', order: 'DESC' }} perPage={25} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <OfferedVariant label="For" />
        <FunctionField label="Supplier" sortable={false} render={({ supplier }) => supplier} />
        <Money source="cost" label="Cost" />
        <FunctionField label="From" sortable={false} render={({ minQuantity }) => `${minQuantity} pcs`} />
        <FunctionField
          label="Lead time"
          sortable={false}
          render={({ leadTimeDays: days }) => days !== null && `${days} days`}
        />
        <BooleanField source="preferred" sortable={false} />
        <Status source="state" label="State" sortable={false} />
      </Datagrid>
    </List>
  )
}

export function PurchaseOfferCreate() {
  const defaults = {
    currency: 'EUR',
    status: 'ACTIVE',
    minQuantity: 1,
    quantityIncrement: 1,
    preferred: false,
  }
  return (
    <Create redirect="list" title="New purchase offer" component="div" transform={withoutProduct}>
      <Form defaultValues={defaults}>
        <Section title="For what">
          <VariantInput />
        </Section>
        <Terms />
      </Form>
    </Create>
  )
}

export function PurchaseOfferEdit() {
  return (
    <EditPage title="Purchase offer">
      <Form
        toolbar={
          <Toolbar sx={{ justifyContent: 'space-between' }}>
            <SaveButton />
            <DeleteButton label="Archive" mutationMode="pessimistic" />
          </Toolbar>
        }
      >
        <Section title="For what">
          <OfferedVariant />
        </Section>
        <Terms />
        <History />
      </Form>
    </EditPage>
  )
}

const columns = { display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(200px, 1fr))' }

function Terms() {
  return (
    <>
      <Section title="Supplier">
        <Box sx={columns}>
          <TextInput source="supplier" validate={required()} />
          <TextInput source="supplierSku" label="What the supplier calls it" />
          <DecimalInput source="cost" currency="currency" validate={required()} />
          <CurrencyInput />
        </Box>
        <BooleanInput source="preferred" label="Preferred to other suppliers" />
      </Section>
      <Section title="Terms">
        <Box sx={columns}>
          <NumberInput source="minQuantity" label="Smallest order" min={1} />
          <NumberInput source="quantityIncrement" label="In steps of" min={1} />
          <NumberInput source="leadTimeDays" label="Lead time in days" min={0} />
          <SelectInput
            source="status"
            choices={choices('ACTIVE', 'DRAFT', 'ARCHIVED')}
            validate={required()}
          />
          <WindowInputs />
        </Box>
      </Section>
    </>
  )
}
