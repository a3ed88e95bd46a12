import { ListSubheader } from '@mui/material'
import type { ReactNode } from 'react'
import { Layout, Menu, useResourceDefinitions } from 'react-admin'
import { hasScope } from '../core/session.ts'
import { Bar } from './Bar.tsx'

/** Resources in the order in which one needs them. */
const groups: readonly (readonly [title: string, resources: readonly string[]])[] = [
  ['Catalogue', ['products', 'categories', 'collections']],
  ['Prices', ['sale_offers', 'purchase_offers']],
  ['Connections', ['webhook_subscriptions']],
]

export function Frame({ children }: { children: ReactNode }) {
  return (
    <Layout appBar={Bar} menu={Navigation} sx={{ '& .RaLayout-content': { pt: 1, pb: 6 } }}>
      {children}
    </Layout>
  )
}

/** What the token lets one read, grouped. */
function Navigation() {
  const known = useResourceDefinitions()
  return (
    <Menu>
      {groups.map(([title, resources]) => {
        const shown = resources.filter((name) => known[name] && hasScope(`${name}:read`))
        return shown.length === 0
          ? null
          : [
              <ListSubheader key={title} disableSticky sx={{ bgcolor: 'transparent', lineHeight: 3 }}>
                {title}
              </ListSubheader>,
              ...shown.map((name) => <Menu.ResourceItem key={name} name={name} />),
            ]
      })}
    </Menu>
  )
}
