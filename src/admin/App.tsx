import { HydraAdmin, ResourceGuesser } from '@api-platform/admin'
import AccountTreeIcon from '@mui/icons-material/AccountTree'
import CollectionsBookmarkIcon from '@mui/icons-material/CollectionsBookmark'
import Inventory2Icon from '@mui/icons-material/Inventory2'
import LocalOfferIcon from '@mui/icons-material/LocalOffer'
import LocalShippingIcon from '@mui/icons-material/LocalShipping'
import WebhookIcon from '@mui/icons-material/Webhook'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { Resource } from 'react-admin'
import { CategoryCreate, CategoryEdit } from './categories/form.tsx'
import { CategoryList } from './categories/list.tsx'
import { CollectionCreate, CollectionEdit, CollectionList } from './collections/collections.tsx'
import { authProvider } from './core/auth.ts'
import { dataProvider } from './core/data-provider.ts'
import { offers } from './core/settings.ts'
import { darkTheme, lightTheme } from './core/theme.ts'
import { Frame } from './layout/Frame.tsx'
import { SignIn } from './layout/SignIn.tsx'
import { PurchaseOfferCreate, PurchaseOfferEdit, PurchaseOfferList } from './offers/purchase.tsx'
import { SaleOfferCreate, SaleOfferEdit, SaleOfferList } from './offers/sale.tsx'
import { ProductCreate } from './products/create.tsx'
import { ProductEdit } from './products/edit.tsx'
import { ProductList } from './products/list.tsx'
import { VariantCreate } from './variants/create.tsx'
import { VariantEdit } from './variants/edit.tsx'
import { WebhookCreate, WebhookEdit, WebhookList } from './webhooks/webhooks.tsx'

const entrypoint = `${location.origin}/api`
const provider = dataProvider(entrypoint)
const client: QueryClient = new QueryClient({
  // A write may change what other pages show: prices in products, places in the tree. They ask again when next opened.
  mutationCache: new MutationCache({ onSuccess: () => client.invalidateQueries({ refetchType: 'none' }) }),
  defaultOptions: { queries: { staleTime: 5000, retry: false, refetchOnWindowFocus: false } },
})

/** The pages of each resource; what the service does not have is left out. */
const pages = {
  products: {
    icon: Inventory2Icon,
    list: ProductList,
    edit: ProductEdit,
    create: ProductCreate,
    recordRepresentation: 'title',
  },
  categories: {
    icon: AccountTreeIcon,
    list: CategoryList,
    edit: CategoryEdit,
    create: CategoryCreate,
    recordRepresentation: 'title',
  },
  collections: {
    icon: CollectionsBookmarkIcon,
    list: CollectionList,
    edit: CollectionEdit,
    create: CollectionCreate,
    recordRepresentation: 'title',
  },
  sale_offers: { icon: LocalOfferIcon, list: SaleOfferList, edit: SaleOfferEdit, create: SaleOfferCreate },
  purchase_offers: {
    icon: LocalShippingIcon,
    list: PurchaseOfferList,
    edit: PurchaseOfferEdit,
    create: PurchaseOfferCreate,
  },
  webhook_subscriptions: {
    icon: WebhookIcon,
    list: WebhookList,
    edit: WebhookEdit,
    create: WebhookCreate,
    options: { label: 'Webhooks' },
  },
}

/** The administration: what is on offer is read from the service's own documentation. */
export function App() {
  return (
    <HydraAdmin
      entrypoint={entrypoint}
      dataProvider={provider}
      authProvider={authProvider}
      queryClient={client}
      loginPage={SignIn}
      layout={Frame}
      theme={lightTheme}
      darkTheme={darkTheme}
      defaultTheme="light"
      disableTelemetry
      requireAuth
    >
      {Object.entries(pages)
        .filter(([name]) => offers(name))
        .map(([name, page]) => (
          <ResourceGuesser key={name} name={name} {...page} />
        ))}
      <Resource name="variants" edit={VariantEdit} create={VariantCreate} />
    </HydraAdmin>
  )
}
