/** Prices, their policies, sales, and many products at once. */
import { beforeAll } from 'vitest'
import { signIn } from './chromium.ts'
import { onDesktop } from './in-browser.ts'
import { many } from './many.ts'
import { policies } from './policies.ts'
import { prices } from './prices.ts'
import { wholeDay } from './whole-day.ts'

onDesktop((of) => {
  beforeAll(() => signIn(of()))

  prices(of)
  policies(of)
  wholeDay(of)
  many(of)
})
