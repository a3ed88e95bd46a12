/** Every published text is readable. */
import { expect, test } from 'vitest'
import { isJsonArray, isJsonObject, type Json } from '../../src/core/json.ts'
import { versions } from '../../src/versions/index.ts'
import { openShop } from '../support/shop.ts'

type Text = { readonly path: string; readonly text: string }

/** The texts of a document, without examples, which may contain any value. */
function textsIn(value: Json, path = ''): Text[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (isJsonArray(value)) return value.flatMap((element, index) => textsIn(element, `${path}[${index}]`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    /^examples?$/.test(name) ? [] : textsIn(member, `${path}.${name}`),
  )
}

const isProse = ({ path }: Text) => /\.(?:description|summary|title|message|hydra:description)$/.test(path)
const unreadable =
  /\S {2,}\S|\b(?:undefined|NaN)\b|\[object|<\/?(?:p|b|i|a|br|em|strong|code|div|span)\b|(?:\b\w ){4}/

test.each(versions.map(({ name }) => name))('in version %s', async (version) => {
  const shop = await openShop()
  const paths = [
    '/api/openapi.json',
    '/api/docs.jsonld',
    '/api/webhook_topics',
    '/api/error-codes',
    '/api/versions',
  ]
  for (const path of paths) {
    const body = await shop.read(path, { version })
    const texts = textsIn(body).filter(isProse)
    expect(texts.length, path).toBeGreaterThan(0)
    expect(
      texts.filter(({ text }) => unreadable.test(text)),
      path,
    ).toEqual([])
  }
})
