/** Everyone can use the pages. */
import { beforeAll } from 'vitest'
import { accessible } from './accessible.ts'
import { signIn } from './chromium.ts'
import { empty } from './empty.ts'
import { onDesktop } from './in-browser.ts'
import { keyboard } from './keyboard.ts'

// They choose their sizes themselves; who works by the keyboard alone has a desk.
onDesktop((of) => {
  beforeAll(() => signIn(of()))

  empty(of)
  keyboard(of)
  accessible(of)
})
