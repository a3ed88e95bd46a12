import { Box } from '@mui/material'
import {
  DeleteButton,
  required,
  SaveButton,
  SelectInput,
  Toolbar,
  TopToolbar,
  useNotify,
  useRecordContext,
  useRedirect,
} from 'react-admin'
import { CustomFields } from '../content/CustomFields.tsx'
import { useWords } from '../core/i18n.ts'
import { Picture } from '../fields/Picture.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { History } from '../history/History.tsx'
import { Languages } from '../languages/Languages.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { OptionsSection } from '../options/OptionsSection.tsx'
import { PriceSections } from '../prices/PriceSections.tsx'
import { ProductInputs } from './form.tsx'
import { Prices } from './prices.tsx'
import { Variants } from './variants.tsx'
import { productWords } from './words.ts'

export function ProductEdit() {
  return (
    <EditPage redirect={false} title={<Name />} actions={<Heading />}>
      <Form toolbar={<Actions />}>
        <ProductInputs
          status={
            <SelectInput
              source="status"
              choices={choices('ACTIVE', 'DRAFT', 'ARCHIVED')}
              validate={required()}
              fullWidth
            />
          }
        >
          <OptionsSection />
          <Variants />
          <Prices />
          <PriceSections />
          <CustomFields />
          <Languages />
          <History />
        </ProductInputs>
      </Form>
    </EditPage>
  )
}

function Name() {
  return <>{useRecordContext()?.title}</>
}

function Heading() {
  return (
    <TopToolbar sx={{ justifyContent: 'flex-start', alignItems: 'center', gap: 1.5, pt: 2 }}>
      <Picture size={48} />
      <Box
        component="h1"
        sx={{
          m: 0,
          minWidth: 0,
          fontSize: '1.35rem',
          fontWeight: 700,
          whiteSpace: 'normal',
          overflowWrap: 'anywhere',
        }}
      >
        <Name />
      </Box>
      <Status />
    </TopToolbar>
  )
}

/** Taking a product down keeps it and all that was said of it. */
function Actions() {
  const words = useWords(productWords)
  const notify = useNotify()
  const redirect = useRedirect()
  const onSuccess = () => {
    notify(words.isArchived, { type: 'info' })
    redirect('list', 'products')
  }
  const archived = useRecordContext()?.status === 'ARCHIVED'
  return (
    <Toolbar sx={{ justifyContent: 'space-between' }}>
      <SaveButton alwaysEnable={false} />
      {!archived && (
        <DeleteButton
          label={words.archive}
          mutationMode="pessimistic"
          confirmTitle={words.takeDown}
          confirmContent={words.takeDownHint}
          mutationOptions={{ onSuccess }}
        />
      )}
    </Toolbar>
  )
}
