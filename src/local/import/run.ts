import type { Progress } from '../cli/output.ts'
import type { Client } from '../client.ts'
import { applyBatch, productsPerRequest } from './apply.ts'
import { slug } from './handle.ts'
import { Lanes } from './lanes.ts'
import type { Target } from './plan.ts'
import type { ImportedProduct } from './product.ts'
import { readProduct } from './read-product.ts'
import { Report } from './report.ts'
import type { RowGroup } from './rows.ts'

/** Batches under way at once: while one is written the next is rendered. */
const batchesAtOnce = 3

/**
 * Imports products while the file is read, some batches at a time. After an error, `report` has the results so far.
 */
export async function importProducts(
  groups: AsyncIterable<RowGroup>,
  client: Client,
  target: Target,
  progress: Progress,
  report = new Report(),
): Promise<Report> {
  const firstLines = new Map<string, number>()
  let batch: ImportedProduct[] = []
  let bytesRead = 0
  let seen = 0
  const lanes = new Lanes(batchesAtOnce)
  let areNew: boolean | undefined
  let done = -1

  /** Shows the progress. Batches may end in another order than they were read. */
  function advance(bytes: number, products: number): void {
    if (products <= done) return
    done = products
    progress.show(`${products} products`, bytes)
  }

  async function flush(): Promise<void> {
    const [products, bytes, count] = [batch, bytesRead, seen]
    batch = []
    await lanes.begin(skusOf(products), async (ahead) => {
      const going = { areNew: areNew ?? false, ahead }
      areNew = (await applyBatch(client, products, target, report, going)) === 0
      advance(bytes, count)
    })
    // The result of a batch decides how the next ones begin.
    if (areNew === undefined) await lanes.end()
  }

  try {
    for await (const group of groups) {
      bytesRead = group.bytesRead
      seen += 1
      const { line } = group.rows[0]!
      const handle = slug(group.handle)
      const earlier = handle === null ? undefined : firstLines.get(handle)
      const { product, refusals, notes } = readProduct(group)
      if (earlier !== undefined && handle !== null) {
        // Taken as an update, the blank product columns of these rows would clear what the first ones wrote.
        const message = `The handle's rows began on line ${earlier} and are not together; move these rows there.`
        report.count('products', 'refused')
        report.refusals.push({ line, handle, message })
        continue
      }
      if (handle !== null) firstLines.set(handle, line)
      report.notes.push(...notes)
      if (!product) {
        report.count('products', 'refused')
        report.refusals.push(...refusals)
        continue
      }
      batch.push(product)
      if (batch.length === productsPerRequest) await flush()
    }
    if (batch.length > 0) await flush()
    await lanes.end()
  } finally {
    // Whatever has stopped it: nothing is written behind its report.
    await lanes.settled()
  }
  advance(bytesRead, seen)
  return report
}

/** Of two products with one SKU the first in the file has it. */
function skusOf(products: readonly ImportedProduct[]): ReadonlySet<string> {
  return new Set(products.flatMap(({ variants }) => variants.flatMap(({ sku }) => sku ?? [])))
}
