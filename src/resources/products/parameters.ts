import { expandParameter } from '../categories/index.ts'
import { priceParameters } from '../prices/index.ts'

/** The query parameters of writes that answer products. */
export const writeParameters = { expand: expandParameter }

/** The query parameters of the read of one product. */
export const readParameters = { ...writeParameters, ...priceParameters }
