/** alcaeus, an independent Hydra client, gets one address and a token, and discovers the rest. */
import formats, { JsonLdParser } from '@rdfjs/formats'
import FormatsFactory from '@rdfjs/formats/Factory.js'
import rdf from '@zazuko/env'
import Environment from '@zazuko/env/Environment.js'
import create, { type Collection, type Resource } from 'alcaeus'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differingVersions } from '../support/differing-versions.ts'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'
import { sampleCalls } from '../support/samples.ts'

/** An environment with the client in it, which reads contexts where the shop serves them, without a token, and nowhere else. */
async function clientOf({ shop, origin }: Doorstep, version: string) {
  const env = new Environment([FormatsFactory, ...create()], { parent: rdf })
  const load = async (url: string) => {
    if (!url.startsWith(`${origin}/api/contexts/`)) throw new Error(`asked for ${url}`)
    return (await fetch(url)).json()
  }
  env.formats.import(formats)
  env.formats.parsers.set('application/ld+json', new JsonLdParser({ documentLoader: { load } }))
  env.hydra.defaultHeaders = {
    authorization: `Bearer ${await shop.token()}`,
    'service-api-version': version,
  }
  return env
}

describe.each(differingVersions)('in version %s', (version) => {
  let door: Doorstep
  let env: Awaited<ReturnType<typeof clientOf>>
  let entrypoint: Resource
  beforeAll(async () => {
    door = await openDoorstep()
    await sampleCalls(door.shop)
    env = await clientOf(door, version)
    entrypoint = (await loaded(`${door.origin}/api`)).root
  })
  afterAll(() => door.close())

  const loaded = async <T extends Resource = Resource>(address: string) => {
    const { response, representation } = await env.hydra.loadResource<T>(address)
    expect(response?.xhr.status, address).toBe(200)
    return { root: representation!.root!, nodes: [...representation!] }
  }
  const asked = async (method: string, address: string) =>
    door.shop.request(method, address.slice(door.origin.length), {
      version,
      status: method === 'GET' ? 200 : 204,
    })
  const linkTo = (name: string): Resource => {
    const found = entrypoint.getLinks().find(({ supportedProperty }) => supportedProperty.title === name)
    return found!.resources[0] as Resource
  }

  const classes = () => entrypoint.apiDocumentation!.supportedClass.map(({ id }) => fragment(id.value))

  test('finds the documentation, which describes every class and leads back to the entrypoint', async () => {
    const documentation = entrypoint.apiDocumentation!
    const { body } = await asked('GET', documentation.id.value)
    expect(documentation.title).toBe(body.title)
    expect(documentation.entrypoint?.id.value).toBe(entrypoint.id.value)
    const described: string[] = body.supportedClass.map((each: { '@id': string }) => each['@id'])
    expect(classes().toSorted()).toEqual(described.toSorted())
  })

  test('is offered no operation that an address refuses', async () => {
    const offered = new Set<string>()
    const refused: string[] = []
    const asking = entrypoint.getLinks().map(async ({ resources: [link] }) => {
      const { root: collection } = await loaded<Collection>(link!.id.value)
      const items = collection.member.filter(canBeRead).slice(0, 3)
      const documents = await Promise.all(items.map(({ id }) => loaded(id.value)))
      const nodes = [link!, ...documents.flatMap((each) => each.nodes)]
      for (const { id, operations } of nodes.filter((each) => each.operations.length > 0)) {
        const { headers } = await asked('OPTIONS', id.value)
        const allowed = headers.get('allow')!.split(', ')
        for (const { method } of operations) offered.add(method!)
        const others = operations.filter(({ method }) => !allowed.includes(method!))
        refused.push(...others.map(({ method }) => `${method} ${id.value}`))
      }
    })
    await Promise.all(asking)
    expect(refused).toEqual([])
    expect([...offered].toSorted()).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'])
  })

  test('makes a product with the operation of the list, changes it and takes it down with its own', async () => {
    const [creating] = linkTo('product').findOperations({ byMethod: 'POST' })
    const made = await creating!.invoke('{"title":"Made"}', { 'content-type': 'application/ld+json' })
    expect(made.response!.xhr.status).toBe(201)
    const product = made.representation!.root!
    const [changing] = product.findOperations({ byMethod: 'PATCH' })
    const changed = await changing!.invoke('{"title":"Changed"}', {
      'content-type': 'application/merge-patch+json',
    })
    expect(changed.response!.xhr.status).toBe(200)
    expect((await asked('GET', product.id.value)).body).toMatchObject({ title: 'Changed', version: 2 })
    const [removing] = product.findOperations({ byMethod: 'DELETE' })
    expect((await removing!.invoke()).response!.xhr.status).toBe(204)
    const { root: gone } = await loaded(product.id.value)
    const status = gone.getProperties().find(({ supportedProperty }) => supportedProperty.title === 'status')
    expect(status?.objects).toEqual(['ARCHIVED'])
  })
})

/** `#Product` */
const fragment = (iri: string) => iri.slice(iri.indexOf('#'))

const canBeRead = ({ operations }: Resource) => operations.some(({ method }) => method === 'GET')
