import { type Check, marked, writesProducts } from '../check.ts'
import { demandBody, demandProblem, product } from '../demand.ts'

/** What is unique, given twice: constraints of the database, told as problems. */
export const conflicts: Check = {
  name: 'constraint conflicts',
  scopes: writesProducts,
  async run({ wire, mark }) {
    const unique = {
      handle: `${mark}-taken`,
      externalId: `${mark}-taken`,
      variants: [{ sku: `${mark}-taken` }],
    }
    const create = (body: object) =>
      wire.ask('POST', '/api/products', { body: { ...marked(mark, 'conflict'), ...body } })
    demandBody(await create(unique), 201, product)
    const { handle, externalId, variants } = unique
    demandProblem(await create({ handle }), 409, 'product.handle_taken')
    demandProblem(await create({ externalId }), 409, 'product.external_id_taken')
    demandProblem(await create({ variants }), 409, 'variant.sku_taken')
    return 'the same handle, externalId and SKU again: 409 each, as catalogued'
  },
}
