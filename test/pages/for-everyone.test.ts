/** Nothing that was written is lost, and everyone can use the pages. */
import { beforeAll } from 'vitest'
import { accessible } from './accessible.ts'
import { signIn } from './chromium.ts'
import { inBrowser } from './in-browser.ts'
import { safety } from './safety.ts'

inBrowser((of) => {
  beforeAll(() => signIn(of()))

  safety(of)
  accessible(of)
})
