/** A client that knows one address and Hydra finds everything: it follows what the documentation calls a link. */
import jsonld, { type NodeObject } from 'jsonld'
import { expect, test } from 'vitest'
import { differingVersions } from '../support/differing-versions.ts'
import { sampleCalls } from '../support/samples.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { loaderOf } from './linked-data.ts'

type Node = ReturnType<typeof JSON.parse>

const hydra = 'http://www.w3.org/ns/hydra/core#'

async function expanded(
  shop: Shop,
  address: string,
  version: string,
): Promise<{ node: Node; headers: Headers }> {
  const url = new URL(address)
  expect(url.host).toBe(shop.host)
  const { body, headers } = await shop.get(`${url.pathname}${url.search}`, { version, status: 200 })
  const options = { base: address, documentLoader: loaderOf(shop), safe: true }
  const [node] = await jsonld.expand(body as NodeObject, options)
  return { node, headers }
}

/** Every node object in a document, with its type. */
function nodesIn(node: Node): Node[] {
  if (Array.isArray(node)) return node.flatMap(nodesIn)
  if (node === null || typeof node !== 'object' || '@value' in node) return []
  return [node, ...Object.values(node).flatMap(nodesIn)]
}

test.each(differingVersions)(
  'from the entrypoint to an item of every class, in version %s',
  async (version) => {
    const shop = await openShop()
    await sampleCalls(shop)
    const start = await expanded(shop, `http://${shop.host}/api`, version)
    const [, documentation] = /<([^>]+)>; rel="[^"]*apiDocumentation"/.exec(start.headers.get('link')!)!
    const { node: described } = await expanded(shop, documentation!, version)
    const classes: Node[] = described[`${hydra}supportedClass`]
    const links = new Set(
      classes
        .flatMap((each) => each[`${hydra}supportedProperty`] ?? [])
        .map((each: Node) => each[`${hydra}property`][0])
        .filter((each: Node) => each['@type'][0] === `${hydra}Link`)
        .map((each: Node) => each['@id']),
    )
    const followed = new Set([...links, `${hydra}member`, `${hydra}first`, `${hydra}next`])
    const found = new Map<string, string>()
    const waiting = [start.node]
    const seen = new Set<string>()
    while (waiting.length > 0 && seen.size < 500) {
      for (const node of nodesIn(waiting.shift())) {
        for (const type of node['@type'] ?? [])
          if (!found.has(type) && node['@id']) found.set(type, node['@id'])
        for (const [property, values] of Object.entries<Node>(node)) {
          if (!followed.has(property)) continue
          for (const { '@id': address } of values) {
            if (!address || seen.has(address) || seen.size >= 500) continue
            seen.add(address)
            // One document of the rolling version has them all; in the others a list contains all its members.
            if (/webhook_subscriptions\/[^/]+$/.test(address) && version !== 'unstable') continue
            waiting.push((await expanded(shop, address, version)).node)
          }
        }
      }
    }
    const reached = [...found.keys()].map((each) => each.split('#')[1])
    expect(reached).toEqual(
      expect.arrayContaining([
        ...['Product', 'ProductOption', 'OptionValue', 'Variant', 'Category', 'ProductCollection', 'Event'],
        ...['SaleOffer', 'PurchaseOffer', 'MetaobjectDefinition', 'Metaobject', 'MetafieldDefinitionType'],
        ...['WebhookSubscription', 'WebhookTopic', 'ErrorCode', 'ApiVersion'],
      ]),
    )
  },
)
