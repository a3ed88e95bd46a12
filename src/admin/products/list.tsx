import {
  CreateButton,
  Datagrid,
  FilterButton,
  FunctionField,
  List,
  SearchInput,
  SelectInput,
  TextInput,
  TopToolbar,
} from 'react-admin'
import { CategoryFilter } from '../fields/CategoryFilter.tsx'
import { Chips } from '../fields/Chips.tsx'
import { PriceRange } from '../fields/Money.tsx'
import { Picture } from '../fields/Picture.tsx'
import { choices, Status } from '../fields/Status.tsx'
import { Title } from '../fields/Title.tsx'
import { When } from '../fields/When.tsx'
import { ExportProducts } from './export.tsx'

const filters = [
  <SearchInput key="q" source="q" alwaysOn placeholder="Search products" />,
  <SelectInput key="status" source="status" alwaysOn choices={choices('ACTIVE', 'DRAFT', 'ARCHIVED')} />,
  <CategoryFilter key="category" source="category" label="Category" />,
  <TextInput key="vendor" source="vendor" />,
  <TextInput key="productType" source="productType" label="Type" />,
  <TextInput key="tag" source="tag" />,
  <TextInput key="channel" source="channel" />,
  <TextInput key="sku" source="sku" label="SKU" />,
]

export function ProductList() {
  return (
    <List
      filters={filters}
      sort={{ field: 'createdAt', order: 'DESC' }}
      perPage={25}
      actions={
        <TopToolbar>
          <FilterButton />
          <CreateButton label="New product" />
          <ExportProducts />
        </TopToolbar>
      }
    >
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <Picture label="" />
        <Title source="title" label="Product" />
        <Status sortable={false} label="Status" />
        <PriceRange label="Price" />
        <FunctionField label="Variants" sortable={false} render={({ variantsTotal }) => variantsTotal} />
        <FunctionField label="Vendor" sortable={false} render={({ vendor }) => vendor} />
        <Chips source="categories" label="Categories" sortable={false} />
        <When source="updatedAt" label="Changed" />
      </Datagrid>
    </List>
  )
}
