import { Box } from '@mui/material'
import {
  BooleanInput,
  Create,
  Datagrid,
  FunctionField,
  List,
  NumberInput,
  required,
  SelectInput,
  TextInput,
} from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { DecimalInput } from '../fields/DecimalInput.tsx'
import { Money } from '../fields/Money.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { OfferedVariant, OfferName } from '../fields/Title.tsx'
import { History } from '../history/History.tsx'
import { ArchiveToolbar } from '../layout/ArchiveToolbar.tsx'
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
  const words = useWords('offers')
  return (
    <List filters={filters} sort={{ field: 'createdAt', order: 'DESC' }} perPage={25} exporter={false}>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <OfferedVariant label={words.for} />
        <FunctionField source="supplier" sortable={false} render={({ supplier }) => supplier} />
        <Money source="cost" />
        <FunctionField
          source="minQuantity"
          sortable={false}
          render={({ minQuantity }) => words.pieces(minQuantity)}
        />
        <FunctionField
          label={words.leadTime}
          sortable={false}
          render={({ leadTimeDays: days }) => days !== null && words.days(days)}
        />
        <FunctionField
          label={words.preferred}
          sortable={false}
          render={({ preferred }) => (preferred ? words.yes : '–')}
        />
        <Status source="state" sortable={false} />
      </Datagrid>
    </List>
  )
}

export function PurchaseOfferCreate() {
  const words = useWords('offers')
  const defaults = {
    currency: 'EUR',
    status: 'ACTIVE',
    minQuantity: 1,
    quantityIncrement: 1,
    preferred: false,
  }
  return (
    <Create redirect="list" title={words.newPurchaseOffer} component="div" transform={withoutProduct}>
      <Form defaultValues={defaults}>
        <Section title={words.forWhat}>
          <VariantInput />
        </Section>
        <Terms />
      </Form>
    </Create>
  )
}

export function PurchaseOfferEdit() {
  const words = useWords('offers')
  return (
    <EditPage title={<OfferName kind={words.purchaseOffer} />}>
      <Form toolbar={<ArchiveToolbar question={words.archiveCost} hint={words.archiveHint} />}>
        <Section title={words.forWhat}>
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
  const words = useWords('offers')
  return (
    <>
      <Section title={words.supplier}>
        <Box sx={columns}>
          <TextInput source="supplier" validate={required()} />
          <TextInput source="supplierSku" />
          <DecimalInput source="cost" currency="currency" validate={required()} />
          <CurrencyInput />
        </Box>
        <BooleanInput source="preferred" />
      </Section>
      <Section title={words.terms}>
        <Box sx={columns}>
          <NumberInput source="minQuantity" min={1} />
          <NumberInput source="quantityIncrement" min={1} />
          <NumberInput source="leadTimeDays" min={0} />
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
