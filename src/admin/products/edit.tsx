import { Box } from '@mui/material'
import { required, SelectInput, TopToolbar, useRecordContext } from 'react-admin'
import { CustomFields } from '../content/CustomFields.tsx'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { Picture } from '../fields/Picture.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { History } from '../history/History.tsx'
import { Languages } from '../languages/Languages.tsx'
import { ArchiveToolbar } from '../layout/ArchiveToolbar.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { OptionsSection } from '../options/OptionsSection.tsx'
import { PriceSections } from '../prices/PriceSections.tsx'
import { DuplicateButton } from './DuplicateButton.tsx'
import { ProductInputs } from './form.tsx'
import { NotSold } from './NotSold.tsx'
import { Prices } from './prices.tsx'
import { Variants } from './variants.tsx'
import { WhereSold } from './WhereSold.tsx'

export function ProductEdit() {
  const words = useWords('products')
  return (
    <EditPage redirect={false} actions={<Heading />}>
      <NotSold />
      <WhereSold />
      <Form toolbar={<ArchiveToolbar question={words.takeDown} hint={words.takeDownHint} />}>
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

function Heading() {
  return (
    <TopToolbar sx={{ justifyContent: 'flex-start', alignItems: 'center', gap: 1.5, pt: 2 }}>
      <Picture size={48} />
      <Box
        sx={{
          minWidth: 0,
          fontSize: '1.35rem',
          fontWeight: 700,
          whiteSpace: 'normal',
          overflowWrap: 'anywhere',
        }}
      >
        {useRecordContext()?.title}
      </Box>
      <Status />
      {hasScope('products:write') && <DuplicateButton />}
    </TopToolbar>
  )
}
