import type { Client } from '../client.ts'
import { applyBatch, productsPerRequest } from './apply.ts'
import { slug } from './handle.ts'
import type { Target } from './plan.ts'
import type { ImportedProduct } from './product.ts'
import type { Progress } from './progress.ts'
import { readProduct } from './read-product.ts'
import { Report } from './report.ts'
import type { RowGroup } from './rows.ts'

/**
 * Imports products as they are read, a batch at a time, into `report`, which also tells how far an import came that
 * was stopped by an error.
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

  async function flush(): Promise<void> {
    if (batch.length > 0) await applyBatch(client, batch, target, report)
    batch = []
    progress.advance(bytesRead, seen)
  }

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
  await flush()
  return report
}
