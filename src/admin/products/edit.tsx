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
import { Picture } from '../fields/Picture.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { History } from '../history/History.tsx'
import { Languages } from '../languages/Languages.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { ProductInputs } from './form.tsx'
import { Prices } from './prices.tsx'
import { Variants } from './variants.tsx'

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
          <Variants />
          <Prices />
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
      <Box component="h1" sx={{ m: 0, fontSize: '1.35rem', fontWeight: 700 }}>
        <Name />
      </Box>
      <Status />
    </TopToolbar>
  )
}

/** Taking a product down keeps it and all that was said of it. */
function Actions() {
  const notify = useNotify()
  const redirect = useRedirect()
  const onSuccess = () => {
    notify('The product is archived', { type: 'info' })
    redirect('list', 'products')
  }
  const archived = useRecordContext()?.status === 'ARCHIVED'
  return (
    <Toolbar sx={{ justifyContent: 'space-between' }}>
      <SaveButton alwaysEnable={false} />
      {!archived && (
        <DeleteButton
          label="Archive"
          mutationMode="pessimistic"
          confirmTitle="Take this product down?"
          confirmContent="It leaves every channel. What it was stays readable, and it can be restored by its status."
          mutationOptions={{ onSuccess }}
        />
      )}
    </Toolbar>
  )
}
