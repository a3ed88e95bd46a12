import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { levelsOf } from '../../categories/index.ts'
import { demandHistory, questionOf } from '../../prices/index.ts'
import { idOf, productsReading, type readParameters, withoutVariants } from '../index.ts'
import { documentsOf } from './answer.ts'
import { pricedStatement, pricesIn } from './priced.ts'
import { variantProblems } from './problems.ts'

type Asked = Input<{ params: 'productId' | 'variantId'; query: typeof readParameters }>

/** Reads one variant; archived ones too. */
export async function getVariant(
  context: Context,
  { params: { productId, variantId }, query }: Asked,
): Promise<Answer> {
  const question = questionOf(query, context.tenant)
  const options = {
    locale: context.locale,
    expand: levelsOf(query.expand),
    room: withoutVariants,
    asked: question,
  }
  const { owner, found } = await context.db.read({
    owner: productsReading(sql`array[${idOf(productId)}]`, options),
    found: pricedStatement(productId, variantId, question),
  })
  const {
    products: [product],
    history,
    sequence,
  } = owner
  const [own] = found
  if (!product || !own) throw variantProblems.not_found({ id: variantId })
  demandHistory(question, history, context.now)
  const price = question ? (pricesIn(found, question, history).get(variantId) ?? null) : undefined
  return {
    kind: 'item',
    document: documentsOf(product, context)(own, price),
    version: own.version,
    sequence,
  }
}
