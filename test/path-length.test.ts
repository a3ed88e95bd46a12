/**
 * How many files a request executes: a file counts if V8 saw one of its named functions run during a warm request. The generic
 * files that every request passes are named in the architecture page and do not count.
 */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { limits } from './budgets/limits.ts'
import { sampleCalls } from './support/samples.ts'
import { openShop } from './support/shop.ts'
import { openWorld } from './support/webhooks.ts'

const root = join(import.meta.dirname, '..')

/** Folders of files that every request passes. */
const generic = /^src\/(?:core|db|http|versions)\/|^src\/[^/]+\.ts$/

/** The files of `src` in which a named function ran, without the generic ones, sorted. */
async function filesExecutedBy(request: () => Promise<unknown>): Promise<string[]> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await request()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
      )
      .map(
        ({ url }) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url).split('?')[0] ?? '',
      )
      .filter((file) => file.startsWith('src/') && !generic.test(file))
      .toSorted()
  } finally {
    session.disconnect()
  }
}

/** The files that every one of several requests executed. Others ran in background work of earlier requests. */
async function filesExecutedByEach(request: () => Promise<unknown>): Promise<string[]> {
  let files = await filesExecutedBy(request)
  for (let run = 1; run < 4; run += 1) {
    const others = await filesExecutedBy(request)
    files = files.filter((file) => others.includes(file))
  }
  return files
}

const at = '2026-11-24T12:00:00Z'
const priced = `/api/products?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${at}`

test('a priced list and a patch of a product execute few files', async () => {
  const shop = await openShop()
  await sampleCalls(shop)
  const [product] = (await shop.get('/api/products')).body.member
  let nth = 0
  const list = () => shop.get(priced, { headers: { 'Cache-Control': 'no-cache' }, status: 200 })
  const patch = () => shop.patch(product['@id'], { body: { vendor: `Vendor ${(nth += 1)}` }, status: 200 })
  for (const warmUp of [list, patch, list, patch]) await warmUp()
  const [listFiles, patchFiles] = [await filesExecutedByEach(list), await filesExecutedByEach(patch)]
  expect(listFiles).toContain('src/resources/products/read.ts')
  expect(listFiles.length, listFiles.join('\n')).toBeLessThanOrEqual(limits.filesOfPricedList)
  expect(patchFiles.length, patchFiles.join('\n')).toBeLessThanOrEqual(limits.filesOfPatch)
})

test('a delivery executes few files after the commit of its event', async () => {
  const world = await openWorld()
  const product = await world.shop.create('/api/products', { title: 'Lamp' })
  let nth = 0
  const deliver = async () => {
    const body = { vendor: `Vendor ${(nth += 1)}` }
    await world.shop.update(product['@id'], body)
    await world.settled()
    await world.drain()
  }
  await deliver()
  const patchFiles = await filesExecutedByEach(deliver)
  await world.subscribe()
  await deliver()
  const files = (await filesExecutedByEach(deliver)).filter((file) => !patchFiles.includes(file))
  expect(world.receipts).toHaveLength(5)
  expect(files).toContain('src/resources/webhooks/dispatch/attempt.ts')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(limits.filesOfDelivery)
})

test('the architecture page has these numbers', () => {
  const page = readFileSync(join(root, '.github/docs/architecture.md'), 'utf8')
  const { filesOfPricedList, filesOfPatch, filesOfDelivery } = limits
  expect(page).toContain(
    `${filesOfPricedList} files of resources for a priced list, ${filesOfPatch} for a patch of a product, and ${filesOfDelivery} more for a delivery`,
  )
})
