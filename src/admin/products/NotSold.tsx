import { Alert, AlertTitle, Button } from '@mui/material'
import { Link, useCreatePath, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { type Obstacle, type Product, useObstaclesOf, useObstacleText } from './obstacles.ts'

/** Why customers cannot buy the product of the page, or some of its variants; each reason has a link to where it is changed. */
export function NotSold() {
  const words = useWords('products')
  const textOf = useObstacleText()
  const path = useCreatePath()
  const product = useRecordContext() as unknown as Product
  const obstacles = useObstaclesOf(product)
  if (obstacles.length === 0) return null
  const whole = obstacles.filter((obstacle) => obstacle.variants.length === 0)
  const places = whole.flatMap((obstacle) => obstacle.places)
  const isNowhere = [0, product.channels.length].includes(places.length)
  const title = whole.length === 0 ? 'notSoldVariants' : isNowhere ? 'notSold' : 'notSoldEverywhere'
  const remedyOf = ({ kind, offer, variants: [variant] }: Obstacle) => {
    const values = { product: product['@id'], variant: variant?.['@id'] }
    const source = `?source=${encodeURIComponent(JSON.stringify(values))}`
    if (kind === 'noVariant')
      return {
        to: `/variants/create?product=${encodeURIComponent(product['@id'])}`,
        children: words.addVariant,
      }
    if (!offer) return { to: `/sale_offers/create${source}`, children: words.addPrice }
    return {
      to: path({ resource: 'sale_offers', type: 'edit', id: offer['@id'] }),
      children: words.openPrice,
    }
  }
  const channels = {
    onClick: () => document.querySelector<HTMLElement>('[name=channels]')?.focus(),
    children: words.chooseChannels,
  }
  return (
    <Alert severity="warning" sx={{ mx: 2, mt: 1 }}>
      <AlertTitle component="h2">{words[title]}</AlertTitle>
      {obstacles.map((obstacle) => {
        const action = obstacle.kind === 'noChannel' ? channels : { component: Link, ...remedyOf(obstacle) }
        return (
          <div key={textOf(obstacle)}>
            {textOf(obstacle)} <Button size="small" color="inherit" {...action} />
          </div>
        )
      })}
    </Alert>
  )
}
