import CampaignIcon from '@mui/icons-material/CampaignOutlined'
import HistoryIcon from '@mui/icons-material/History'
import IssuesIcon from '@mui/icons-material/ReportProblemOutlined'
import TranslateIcon from '@mui/icons-material/Translate'
import { ListSubheader, useMediaQuery } from '@mui/material'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import {
  Layout,
  Menu,
  Sidebar,
  type SidebarProps,
  useResourceDefinitions,
  useSidebarState,
} from 'react-admin'
import { collision, departure } from '../core/data-provider.ts'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { catalogue } from '../core/settings.ts'
import { Bar, narrow } from './Bar.tsx'
import { FailedReads } from './FailedReads.tsx'
import { Keys } from './Keys.tsx'
import { SignInAgain } from './SignInAgain.tsx'
import { scopeOf } from './scopes.ts'
import { Wording } from './Wording.tsx'

const Collision = lazy(async () => ({ default: (await import('./Collision.tsx')).Collision }))
const Departure = lazy(async () => ({ default: (await import('./Departure.tsx')).Departure }))

/** Resources in the order in which one needs them. */
const groups: readonly (readonly [
  title: 'catalogue' | 'prices' | 'content' | 'connections',
  resources: readonly string[],
])[] = [
  ['catalogue', ['products', 'categories', 'collections']],
  ['prices', ['sale_offers', 'price_policies', 'purchase_offers']],
  ['content', ['metaobjects', 'metaobject_definitions']],
  ['connections', ['webhook_subscriptions']],
]

/** The frame of all pages: bar, menu, and the dialogs that each page may open. */
export function Frame({ children }: { children: ReactNode }) {
  return (
    <Wording>
      <Layout appBar={Bar} menu={Navigation} sidebar={Side} sx={pageStyle}>
        <FailedReads />
        <Keys />
        {children}
        {collision.useAsked() && (
          <Suspense>
            <Collision />
          </Suspense>
        )}
        {departure.useAsked() && (
          <Suspense>
            <Departure />
          </Suspense>
        )}
      </Layout>
      {/* Outside of the layout, which replaces its content if a page fails. */}
      <SignInAgain />
    </Wording>
  )
}

/** Next to the page, over it on a phone. In a narrow window it begins closed, also when a window becomes that narrow. */
function Side(props: SidebarProps) {
  const isSmall = useMediaQuery(narrow)
  const [readyFor, setReadyFor] = useState<boolean | null>(null)
  const wasSmall = useRef<boolean | null>(null)
  const [, setOpen] = useSidebarState()
  useEffect(() => {
    // Wide again, it opens again.
    if (isSmall !== (wasSmall.current ?? false)) setOpen(!isSmall)
    wasSmall.current = isSmall
    setReadyFor(isSmall)
  }, [isSmall, setOpen])
  return isSmall && readyFor !== isSmall ? null : <Sidebar key={String(isSmall)} {...props} />
}

/** Wide tables scroll by themselves, so that the page does not. */
const pageStyle = {
  '&&': { minWidth: 0 },
  // In a narrow window the button of a new thing floats over what is last.
  '& .RaLayout-content': { pt: 1, pb: { xs: 15, md: 6 }, minWidth: 0 },
  // The actions on chosen rows are above the table: a box around both would cut them off.
  '& .RaList-content:not(:has(.RaDatagrid-tableWrapper)), & .RaDatagrid-tableWrapper, & .MuiAccordionDetails-root':
    { overflowX: 'auto', minWidth: 0 },
  '& .RaList-content, & .RaDatagrid-root': { minWidth: 0 },
  '& .RaLayout-appFrame, & .RaLayout-contentWithSidebar, & .RaList-main, & .RaEdit-main, & .RaEdit-card, & .RaCreate-card, & .MuiCardContent-root, & .MuiStack-root, & .MuiGrid-root, & form, & .MuiAccordion-root, & .MuiTablePagination-root':
    { minWidth: 0, maxWidth: '100%' },
  '& :is(input, textarea, button, [role=combobox])': {
    scrollMarginTop: '120px',
    scrollMarginBottom: '120px',
  },
}

/** The lists that the token may read, in groups. */
function Navigation() {
  const words = {
    ...useWords('layout'),
    untranslated: useWords('languages').untranslated,
    issues: useWords('layout').needsAttention,
  }
  const known = useResourceDefinitions()
  const [isOpen] = useSidebarState()
  return (
    <Menu>
      {groups.map(([title, resources]) => {
        const shown = resources.filter((name) => known[name] && hasScope(scopeOf(name, 'read')))
        return shown.length === 0
          ? null
          : [
              isOpen && (
                <ListSubheader
                  key={title}
                  role="presentation"
                  disableSticky
                  sx={{ bgcolor: 'transparent', lineHeight: 3 }}
                >
                  {words[title]}
                </ListSubheader>
              ),
              ...shown.map((name) => <Menu.ResourceItem key={name} name={name} />),
              title === 'prices' && hasScope('sale_offers:read') && (
                <Menu.Item
                  key="campaigns"
                  to="/campaigns"
                  primaryText={words.campaigns}
                  leftIcon={<CampaignIcon />}
                />
              ),
              title === 'catalogue' && catalogue().locales.length > 1 && (
                <Menu.Item
                  key="untranslated"
                  to="/untranslated"
                  primaryText={words.untranslated}
                  leftIcon={<TranslateIcon />}
                />
              ),
            ]
      })}
      {hasScope('products:read') && (
        <Menu.Item to="/attention" primaryText={words.issues} leftIcon={<IssuesIcon />} />
      )}
      {hasScope('events:read') && (
        <Menu.Item to="/latest-changes" primaryText={words.latestChanges} leftIcon={<HistoryIcon />} />
      )}
    </Menu>
  )
}
