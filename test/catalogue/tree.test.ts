import { beforeAll, expect, test } from 'vitest'
import { faultsIn } from '../support/ledger.ts'
import { sentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

/** How many categories there are on each of the seven levels. */
const widths = [4, 20, 100, 500, 500, 500, 500]
const all = widths.reduce((sum, width) => sum + width)

type Category = { '@id': string; title: string; level: number; children: (string | Category)[] }

let shop: Shop
/** The IRIs of each level, in the order of their creation. */
const levels: string[][] = []

beforeAll(async () => {
  shop = await openShop()
  for (const [level, width] of widths.entries()) {
    const above = levels.at(-1)
    const bodies = Array.from({ length: width }, (_, index) => ({
      title: `${level}-${index}`,
      parent: above ? above[index % above.length] : null,
      // Every other one before its siblings.
      position: index % 2 === 0 ? 0 : null,
    }))
    const made: string[] = []
    for (let start = 0; start < width; start += 250) {
      const body = await shop.create('/api/categories', bodies.slice(start, start + 250))
      made.push(...body.member.map((each: Category) => each['@id']))
    }
    levels.push(made)
  }
  const inCategory = (title: string, iri: string) => ({ title, categories: [iri] })
  await shop.create('/api/products', [
    ...levels.map((each, level) => inCategory(`on ${level}`, each[0]!)),
    inCategory('elsewhere', levels[6]![1]!),
  ])
}, 120_000)

/** Reads, and counts the statements that went to the database, and their trips. */
async function counted(path: string): Promise<{ reply: Reply; statements: number }> {
  let reply: Reply | undefined
  const batches = await sentBy(async () => {
    reply = await shop.get(path, { status: 200 })
  })
  if (!reply) throw new Error('no answer')
  expect(reply.headers.get('server-timing'), path).toMatch(/db;dur=[\d.]+;desc="1"/)
  expect(batches).toHaveLength(1)
  return { reply, statements: batches[0]?.length ?? 0 }
}

const size = (each: string | Category): number =>
  typeof each === 'string' ? 0 : 1 + each.children.reduce((sum, child) => sum + size(child), 0)

test('two thousand categories are all there, gapless and at their levels', async () => {
  const { reply } = await counted('/api/categories?itemsPerPage=100')
  expect(reply.body.totalItems).toBe(all)
  for (const [level, width] of widths.entries()) {
    const body = await shop.read(`/api/categories?level=${level}&itemsPerPage=0`)
    expect(body.totalItems, `level ${level}`).toBe(width)
  }
  expect(await faultsIn(shop)).toEqual([])
})

test('the deepest knows its ancestors', async () => {
  const { reply } = await counted(levels[6]![0]!)
  expect(reply.body).toMatchObject({
    level: 6,
    ancestors: levels.slice(0, 6).map(([first]) => first),
    children: [],
  })
})

test('a subtree of hundreds is expanded in the statements that a leaf takes', async () => {
  const expand = 'expand=children.children.children'
  const leaf = await counted(`${levels[6]![0]}?${expand}`)
  const root = await counted(`${levels[0]![0]}?${expand}`)
  const roots = await counted(`/api/categories?parent=null&${expand}`)
  const none = await counted(`/api/categories?parent=${levels[6]![0]!.split('/').at(-1)}&${expand}`)
  expect(size(leaf.reply.body)).toBe(1)
  expect(size(root.reply.body)).toBe(1 + 5 + 25 + 125)
  expect(roots.reply.body.member.map(size)).toEqual([156, 156, 156, 156])
  expect(none.reply.body.member).toEqual([])
  expect(root.statements).toBe(leaf.statements)
  expect(roots.statements).toBe(none.statements)
})

test('products of a whole subtree are found in the statements that those of a leaf take', async () => {
  const of = (iri: string) => `/api/products?category=${iri}&category[descendants]=true&order[title]=asc`
  const titles = ({ reply }: { reply: Reply }) =>
    reply.body.member.map((each: { title: string }) => each.title)
  const leaf = await counted(of(levels[6]![0]!))
  const whole = await counted(of(levels[0]![0]!))
  const expanded = await counted(`${of(levels[0]![0]!)}&expand=children.children.children`)
  expect(titles(leaf)).toEqual(['on 6'])
  expect(titles(whole)).toEqual(widths.map((_, level) => `on ${level}`))
  expect(whole.statements).toBe(leaf.statements)
  expect(expanded.statements).toBe(leaf.statements)
  // A subtree that is too large for a product is not embedded: the children are IRIs.
  const [{ children }] = expanded.reply.body.member[0].categories
  expect(children.length).toBeGreaterThan(1)
  for (const child of children) expect(child).toMatch(/^\/api\/categories\//)
})

test('a whole subtree moves in one write', async () => {
  const [, moved] = levels[1]!
  const body = await shop.update(moved!, { parent: levels[0]![0] })
  expect(body).toMatchObject({ level: 1, parent: levels[0]![0] })
  expect(await faultsIn(shop)).toEqual([])
})
