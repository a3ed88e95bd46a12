import { expandParameter, expandParameterWith } from '../categories/index.ts'
import { priceParameters, priorPriceExpansion } from '../prices/index.ts'

/** The query parameters of writes that answer products. */
export const writeParameters = { expand: expandParameter }

/** The query parameters of reads that show products or variants with prices. */
export const readParameters = {
  expand: expandParameterWith(priorPriceExpansion.choice, priorPriceExpansion.description),
  ...priceParameters,
}
