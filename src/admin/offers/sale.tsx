import LocalOfferIcon from '@mui/icons-material/LocalOffer'
import { Alert, Box, Button } from '@mui/material'
import {
  BooleanInput,
  Create,
  CreateButton,
  Datagrid,
  FilterButton,
  FunctionField,
  Button as IconButton,
  Link,
  List,
  NumberInput,
  required,
  SelectInput,
  TextInput,
  TopToolbar,
  useListContext,
} from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { Chips } from '../fields/Chips.tsx'
import { DecimalInput } from '../fields/DecimalInput.tsx'
import { Money } from '../fields/Money.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { OfferedVariant, OfferName } from '../fields/Title.tsx'
import { When } from '../fields/When.tsx'
import { History } from '../history/History.tsx'
import { ArchiveToolbar } from '../layout/ArchiveToolbar.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { Section } from '../layout/Section.tsx'
import { ChannelField, CountriesField } from '../prices/MarketFields.tsx'
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
  const words = useWords('offers')
  return (
    <List filters={filters} sort={{ field: 'createdAt', order: 'DESC' }} perPage={25} actions={<Above />}>
      <OnlySale />
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <OfferedVariant label={words.for} />
        <Money source="amount" before="compareAtAmount" label={words.price} />
        <FunctionField source="channel" sortable={false} render={({ channel }) => channel ?? words.every} />
        <Chips source="countries" all={words.every} sortable={false} />
        <Status source="state" sortable={false} />
        <When source="validFrom" label={words.begins} absent={words.noBeginning} />
        <When source="validUntil" absent={words.noEnd} />
        <FunctionField source="priority" sortable={false} render={({ priority }) => priority} />
      </Datagrid>
    </List>
  )
}

/** Says that the list has only the prices of a sale, and offers all others. */
function OnlySale() {
  const words = useWords('sale')
  const { filterValues, setFilters } = useListContext()
  if (!filterValues.id && !filterValues['createdAt[from]']) return null
  const all = (
    <Button color="inherit" size="small" onClick={() => setFilters({})}>
      {words.showAll}
    </Button>
  )
  return (
    <Alert severity="info" action={all}>
      {words.ofSale}
    </Alert>
  )
}

function Above() {
  const words = useWords('sale')
  return (
    <TopToolbar>
      <FilterButton />
      <IconButton component={Link} to="/sale" label={words.open}>
        <LocalOfferIcon />
      </IconButton>
      <CreateButton />
    </TopToolbar>
  )
}

export function SaleOfferCreate() {
  const words = useWords('offers')
  const defaults = {
    currency: 'EUR',
    status: 'ACTIVE',
    taxIncluded: true,
    priority: 0,
    minQuantity: 1,
    countries: [],
  }
  return (
    <Create redirect="list" title={words.newPrice} component="div" transform={withoutProduct}>
      <Form defaultValues={defaults}>
        <Section title={words.forWhat}>
          <VariantInput />
        </Section>
        <Terms />
      </Form>
    </Create>
  )
}

export function SaleOfferEdit() {
  const words = useWords('offers')
  return (
    <EditPage title={<OfferName kind={words.price} />}>
      <Form toolbar={<ArchiveToolbar question={words.archivePrice} hint={words.archiveHint} />}>
        <Section title={words.forWhat}>
          <OfferedVariant />
        </Section>
        <Terms />
        <History />
      </Form>
    </EditPage>
  )
}

function Terms() {
  const words = useWords('offers')
  return (
    <>
      <Section title={words.price}>
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(180px, 1fr))' }}>
          <DecimalInput source="amount" currency="currency" validate={required()} />
          <DecimalInput source="compareAtAmount" currency="currency" helperText={words.beforeHint} />
          <CurrencyInput />
        </Box>
        <BooleanInput source="taxIncluded" />
        <SelectInput
          source="reductionReason"
          choices={[{ id: 'EXPIRING', name: words.expiring }]}
          helperText={words.reductionHint}
          parse={(reason: string) => reason || null}
        />
      </Section>
      <Section title={words.whereAndWhen}>
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(220px, 1fr))' }}>
          <ChannelField source="channel" helperText={words.channelHint} />
          <CountriesField source="countries" helperText={words.countriesHint} />
          <WindowInputs />
        </Box>
      </Section>
      <Section title={words.whichWins} open={false}>
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(180px, 1fr))' }}>
          <NumberInput source="priority" helperText={words.priorityHint} />
          <NumberInput source="minQuantity" min={1} />
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

export function withoutProduct({ product: _, ...offer }: Record<string, unknown>) {
  return offer
}
