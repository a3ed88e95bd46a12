/** Prices, sales, and many products at once. */
import { beforeAll } from 'vitest'
import { signIn } from './chromium.ts'
import { onDesktop } from './in-browser.ts'
import { many } from './many.ts'
import { prices } from './prices.ts'
import { wholeDay } from './whole-day.ts'

onDesktop((of) => {
  beforeAll(() => signIn(of()))

  prices(of)
  wholeDay(of)
  many(of)
})
