import AccountTreeIcon from '@mui/icons-material/AccountTree'
import ArticleIcon from '@mui/icons-material/Article'
import CollectionsBookmarkIcon from '@mui/icons-material/CollectionsBookmark'
import GavelIcon from '@mui/icons-material/Gavel'
import Inventory2Icon from '@mui/icons-material/Inventory2'
import LocalOfferIcon from '@mui/icons-material/LocalOffer'
import LocalShippingIcon from '@mui/icons-material/LocalShipping'
import SchemaIcon from '@mui/icons-material/Schema'
import WebhookIcon from '@mui/icons-material/Webhook'
import { Box } from '@mui/material'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { type ComponentType, lazy } from 'react'
import { Admin, CustomRoutes, type I18nProvider, type RaRecord, Resource, Title } from 'react-admin'
import { createRoot } from 'react-dom/client'
import { Navigate, Route } from 'react-router-dom'
import { authProvider } from './core/auth.ts'
import { dataProvider } from './core/data-provider.ts'
import { spokenI18nProvider, useWords } from './core/i18n.ts'
import { catalogue, offers } from './core/settings.ts'
import { darkTheme, lightTheme } from './core/theme.ts'
import { variantName } from './fields/Title.tsx'
import { Frame } from './layout/Frame.tsx'
import { ProductList } from './products/list.tsx'

/** A page that is loaded when it is first opened. The first list is part of the main bundle. */
function later<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }))
}

const categories = () => import('./categories/form.tsx')
const collections = () => import('./collections/collections.tsx')
const saleOffers = () => import('./offers/sale.tsx')
const purchaseOffers = () => import('./offers/purchase.tsx')
const policies = () => import('./policies/policies.tsx')
const metaobjects = () => import('./content/metaobjects.tsx')
const definitions = () => import('./content/definitions.tsx')
const webhooks = () => import('./webhooks/webhooks.tsx')

const entrypoint = `${location.origin}/api`
const provider = dataProvider(entrypoint)
const client: QueryClient = new QueryClient({
  // A write may change what other pages show: prices in products, places in the tree. They ask again when next opened.
  mutationCache: new MutationCache({ onSuccess: () => client.invalidateQueries({ refetchType: 'none' }) }),
  defaultOptions: {
    // Offline, a request fails at once with a reason. By default it would wait in silence until the network is back.
    queries: { staleTime: 5000, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

/** The pages of each resource; what the service does not have is left out. */
const pages = {
  products: {
    icon: Inventory2Icon,
    list: ProductList,
    edit: later(() => import('./products/edit.tsx'), 'ProductEdit'),
    create: later(() => import('./products/create.tsx'), 'ProductCreate'),
    recordRepresentation: 'title',
  },
  categories: {
    icon: AccountTreeIcon,
    list: later(() => import('./categories/list.tsx'), 'CategoryList'),
    edit: later(categories, 'CategoryEdit'),
    create: later(categories, 'CategoryCreate'),
    recordRepresentation: 'title',
  },
  collections: {
    icon: CollectionsBookmarkIcon,
    list: later(collections, 'CollectionList'),
    edit: later(collections, 'CollectionEdit'),
    create: later(collections, 'CollectionCreate'),
    recordRepresentation: 'title',
  },
  sale_offers: {
    icon: LocalOfferIcon,
    list: later(saleOffers, 'SaleOfferList'),
    edit: later(saleOffers, 'SaleOfferEdit'),
    create: later(saleOffers, 'SaleOfferCreate'),
  },
  price_policies: {
    icon: GavelIcon,
    list: later(policies, 'PolicyList'),
    edit: later(policies, 'PolicyEdit'),
    create: later(policies, 'PolicyCreate'),
  },
  purchase_offers: {
    icon: LocalShippingIcon,
    list: later(purchaseOffers, 'PurchaseOfferList'),
    edit: later(purchaseOffers, 'PurchaseOfferEdit'),
    create: later(purchaseOffers, 'PurchaseOfferCreate'),
  },
  metaobjects: {
    icon: ArticleIcon,
    list: later(metaobjects, 'MetaobjectList'),
    edit: later(metaobjects, 'MetaobjectEdit'),
    create: later(metaobjects, 'MetaobjectCreate'),
    recordRepresentation: ({ displayName, handle }: RaRecord) => displayName ?? handle,
  },
  metaobject_definitions: {
    icon: SchemaIcon,
    list: later(definitions, 'DefinitionList'),
    edit: later(definitions, 'DefinitionEdit'),
    create: later(definitions, 'DefinitionCreate'),
    recordRepresentation: ({ name, type }: RaRecord) => name ?? type,
  },
  webhook_subscriptions: {
    icon: WebhookIcon,
    list: later(webhooks, 'WebhookList'),
    edit: later(webhooks, 'WebhookEdit'),
    create: later(webhooks, 'WebhookCreate'),
  },
}

const LatestChanges = later(() => import('./history/Latest.tsx'), 'LatestChanges')
const VariantEdit = later(() => import('./variants/edit.tsx'), 'VariantEdit')
const Translate = later(() => import('./languages/Translate.tsx'), 'Translate')
const Untranslated = later(() => import('./languages/Untranslated.tsx'), 'Untranslated')
const Issues = later(() => import('./issues/Issues.tsx'), 'Issues')
const VariantCreate = later(() => import('./variants/create.tsx'), 'VariantCreate')
const PriceGridPage = later(() => import('./prices/PriceGridPage.tsx'), 'PriceGridPage')
const GridPage = later(() => import('./grid/GridPage.tsx'), 'GridPage')
const ImportPage = later(() => import('./import/ImportPage.tsx'), 'ImportPage')
const Campaigns = later(() => import('./campaigns/Campaigns.tsx'), 'Campaigns')
const CampaignPage = later(() => import('./campaigns/CampaignPage.tsx'), 'CampaignPage')
const SalePage = later(() => import('./sale/SalePage.tsx'), 'SalePage')

const NotFound = () => (
  <Box sx={{ p: 4 }} className="not-found">
    <Title title="ra.page.not_found" />
    {useWords('core').noPage}
  </Box>
)

/** People have kept links to the former address of the form for signing in. */
const Home = () => <Navigate to="/" replace />

/** Draws the pages instead of the form for signing in. */
export async function startPages(root: HTMLElement): Promise<void> {
  createRoot(root).render(<App i18nProvider={await spokenI18nProvider()} />)
}

/**
 * The administration, over API Platform's data provider. `HydraAdmin` would generate unused pages from the documentation, and would
 * add the inputs and fields that it may guess to the bundle.
 */
function App({ i18nProvider }: { i18nProvider: I18nProvider }) {
  return (
    <Admin
      dataProvider={provider}
      i18nProvider={i18nProvider}
      authProvider={authProvider}
      queryClient={client}
      title={catalogue().name}
      loginPage={Home}
      layout={Frame}
      catchAll={NotFound}
      theme={lightTheme}
      darkTheme={darkTheme}
      disableTelemetry
    >
      {Object.entries(pages)
        .filter(([name]) => offers(name))
        .map(([name, page]) => (
          <Resource key={name} name={name} {...page} />
        ))}
      <Resource
        name="variants"
        edit={VariantEdit}
        create={VariantCreate}
        recordRepresentation={variantName}
      />
      <CustomRoutes>
        <Route path="/latest-changes" element={<LatestChanges />} />
        <Route path="/price_grid/:product" element={<PriceGridPage />} />
        <Route path="/grid/:filter?" element={<GridPage />} />
        <Route path="/attention" element={<Issues />} />
        <Route path="/import" element={<ImportPage />} />
        <Route path="/campaigns" element={<Campaigns />} />
        <Route path="/campaigns/:id" element={<CampaignPage />} />
        <Route path="/sale" element={<SalePage />} />
      </CustomRoutes>
      <Resource name="translate" edit={Translate} />
      <Resource name="untranslated" list={Untranslated} />
    </Admin>
  )
}
