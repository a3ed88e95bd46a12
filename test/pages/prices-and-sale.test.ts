/** Prices, sales, and many products at once. */
import { beforeAll } from 'vitest'
import { signIn } from './chromium.ts'
import { inBrowser } from './in-browser.ts'
import { many } from './many.ts'
import { prices } from './prices.ts'
import { wholeDay } from './whole-day.ts'

inBrowser((of) => {
  beforeAll(() => signIn(of()))

  prices(of)
  wholeDay(of)
  many(of)
})
