import type { Answer, Context, Input } from '../../core/operation.ts'
import { levelsOf } from '../categories/index.ts'
import { demandHistory, questionOf } from '../prices/index.ts'
import { askedOfVariants } from './continuation.ts'
import { productDocument } from './document.ts'
import type { readParameters } from './parameters.ts'
import { productProblems } from './problems.ts'
import { keepRead, keepsTexts, RenderedDocument } from './rendered.ts'
import { onItem } from './room.ts'
import { productsReading } from './store.ts'

/** Reads one product; archived ones too. */
export async function getProduct(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof readParameters }>,
): Promise<Answer> {
  const question = questionOf(query, context.tenant)
  const { found } = await context.db.read({
    found: productsReading([id], {
      locale: context.locale,
      expand: levelsOf(query.expand),
      room: { ...onItem, priced: question !== null },
      asked: question,
      rendered: keepsTexts(context),
    }),
  })
  const {
    products: [product],
    rendered: [rendered],
    prices,
    history,
    sequence,
  } = found
  keepRead(context, found, context.locale)
  if (rendered) {
    const document = new RenderedDocument(rendered, context.locale)
    return { kind: 'item', document, version: rendered.version, sequence }
  }
  if (!product) throw productProblems.not_found({ id })
  demandHistory(question, history, context.now)
  return {
    kind: 'item',
    document: productDocument(product, context.locale, prices, onItem, askedOfVariants(context.url, query)),
    version: product.version,
    sequence,
  }
}
