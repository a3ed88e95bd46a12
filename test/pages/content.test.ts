/** The content of a product: texts in two languages, custom fields, pictures, options; and rules that find it. */
import { beforeAll } from 'vitest'
import { signIn } from './chromium.ts'
import { content } from './content.ts'
import { onDesktop } from './in-browser.ts'
import { options } from './options.ts'
import { pictures } from './pictures.ts'
import { productPage } from './product-page.ts'
import { rules } from './rules.ts'
import { texts } from './texts.ts'

onDesktop((of) => {
  beforeAll(() => signIn(of()))

  texts(of)
  content(of)
  productPage(of)
  rules(of)
  pictures(of)
  options(of)
})
