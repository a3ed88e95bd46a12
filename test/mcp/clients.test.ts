/** The official client, in this year's revision and in the previous one, and an independent one list and call the tool. */

import { createMCPClient } from '@ai-sdk/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { versions } from '../../src/versions/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { closed, strictly } from './schemas.ts'

const me = { name: 'test', version: '1.0.0' }

/** The methods that this test needs of each client. */
type AnyClient = {
  listTools(): Promise<{ tools: ReturnType<typeof JSON.parse>[] }>
  callTool(asked: {
    name: string
    arguments: Record<string, unknown>
  }): Promise<ReturnType<typeof JSON.parse>>
  close(): Promise<void>
}

let shop: Shop
let token: string
let root: ReturnType<typeof JSON.parse>
let child: ReturnType<typeof JSON.parse>
beforeAll(async () => {
  shop = await openShop()
  token = await shop.token({ scope: 'categories:read' })
  root = await shop.create('/api/categories', { title: 'Shoes' })
  await shop.update(root['@id'], { title: 'Chaussures' }, { locale: 'fr-FR' })
  child = await shop.create('/api/categories', { title: 'Boots', parent: root['@id'] })
})

function wire(version: string) {
  const headers = { authorization: `Bearer ${token}`, 'service-api-version': version }
  const fetch = async (url: string | URL, init?: RequestInit) => shop.fetch(new Request(url, init))
  return { url: new URL(`http://${shop.host}/mcp`), options: { fetch, requestInit: { headers } } }
}

const clients: Readonly<Record<string, (version: string) => Promise<AnyClient>>> = {
  async '2026-07-28'(version) {
    const { url, options } = wire(version)
    const client = new Client(me, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(new StreamableHTTPClientTransport(url, options))
    return client
  },
  async 'the newest on offer'(version) {
    const { url, options } = wire(version)
    const client = new Client(me, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(url, options))
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    return client
  },
  async '2025-11-25'(version) {
    const { url, options } = wire(version)
    const client = new Client(me)
    await client.connect(new StreamableHTTPClientTransport(url, options))
    return client
  },
  async 'other hands, in 2025-11-25'(version) {
    const { url, options } = wire(version)
    const client = await createMCPClient({
      transport: {
        type: 'http',
        url: url.href,
        headers: options.requestInit.headers,
        fetch: async (asked, init) => shop.fetch(new Request(asked, init)),
      },
    })
    const listed = await client.listTools()
    const made = client.toolsFromDefinitions(listed)
    return {
      listTools: async () => listed,
      callTool: async (asked) =>
        made[asked.name]?.execute(asked.arguments, { toolCallId: '1', messages: [] }),
      close: () => client.close(),
    }
  },
}

describe.each(Object.keys(clients))('a client of %s', (revision) => {
  test.each(versions.map(({ name }) => name))('lists and calls the tool in version %s', async (version) => {
    const name = version < '2026-07' ? 'childrens' : 'children'
    const client = await clients[revision]!(version)
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(1)
    const [tool] = tools
    expect(tool).toMatchObject({ name: 'list_categories', annotations: { readOnlyHint: true } })
    expect(Object.keys(tool.inputSchema.properties)).toEqual([
      'page',
      'itemsPerPage',
      'parent',
      'expand',
      'locale',
    ])
    expect(tool.inputSchema.properties.expand.enum.slice(0, 3)).toEqual([
      name,
      `${name}.${name}`,
      `${name}.${name}.${name}`,
    ])
    expect(JSON.stringify(tool.outputSchema)).toContain(`"${name}":`)

    const answer = await client.callTool({
      name: 'list_categories',
      arguments: { parent: 'null', locale: 'fr-FR' },
    })
    expect(answer.isError ?? false).toBe(false)
    expect(answer.structuredContent).toMatchObject({ totalItems: 1, page: 1, nextPage: null })
    const [shown] = answer.structuredContent.items
    expect(shown).toMatchObject({ '@id': root['@id'], title: 'Chaussures', [name]: [child['@id']] })
    expect(shown).not.toHaveProperty(name === 'children' ? 'childrens' : 'children')
    expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent)

    const expanded = await client.callTool({
      name: 'list_categories',
      arguments: { expand: name, parent: 'null' },
    })
    expect(expanded.structuredContent.items[0][name][0]).toMatchObject({
      '@id': child['@id'],
      title: 'Boots',
      [name]: [],
    })
    const validate = strictly(tool.outputSchema)
    for (const { structuredContent } of [answer, expanded]) {
      expect(validate(structuredContent), JSON.stringify(validate.errors)).toBe(true)
    }
    strictly(tool.inputSchema)
    await client.close()
  })
})

test.each(versions.map(({ name }) => name))(
  'the tool lists every value of expand that it takes in version %s, and no other',
  async (version) => {
    const client = await clients['2026-07-28']!(version)
    const [tool] = (await client.listTools()).tools
    const listed: string[] = tool.inputSchema.properties.expand.enum
    expect(listed).toEqual(expect.arrayContaining(['children', 'childrens', 'childrens.childrens']))
    const others = [
      'children,children',
      ' children',
      'title',
      'parent',
      'categories',
      'fields',
      'children.childrens',
    ]
    const isSound = strictly(tool.inputSchema)
    for (const expand of [...listed, ...others]) {
      const given = { expand, itemsPerPage: 1 }
      const { isError = false } = await client.callTool({ name: 'list_categories', arguments: given })
      expect(isError, expand).toBe(!isSound(given))
      expect(isError, expand).toBe(others.includes(expand))
    }
    await client.close()
  },
)

test('an item of the tool is the member of the list over REST', async () => {
  const client = await clients['2026-07-28']!('2026-10')
  const { structuredContent } = await client.callTool({
    name: 'list_categories',
    arguments: { itemsPerPage: 1, page: 2 },
  })
  const rest = await shop.read('/api/categories?itemsPerPage=1&page=2')
  expect(structuredContent).toEqual({ items: rest.member, totalItems: 2, page: 2, nextPage: null })
})

test('several messages of revision 2025-03-26 in one request are answered together', async () => {
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'list_categories', arguments: { itemsPerPage: id } },
  })
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
  const reply = await shop.post('/mcp', {
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-03-26' },
    body: [call(1), cancelled, call(2)],
    status: 200,
  })
  const sizes = reply.body.map((each: ReturnType<typeof JSON.parse>) => [
    each.id,
    each.result.structuredContent.items.length,
  ])
  expect(sizes).toEqual([
    [1, 1],
    [2, 2],
  ])
})

test.each(versions.map(({ name }) => name))(
  'the schema of answers describes, in version %s, every member of everything that a category can hold, as it is read',
  async (version) => {
    const full = await openShop()
    const sale = await full.create('/api/metaobject_definitions', {
      type: 'season',
      name: 'Season',
      displayNameField: 'name',
      fieldDefinitions: [
        { key: 'name', name: 'Name', type: '/api/metafield_definition_types/single_line_text_field' },
      ],
    })
    const season = await full.create('/api/metaobjects', {
      definition: sale['@id'],
      handle: 'winter',
      status: 'ACTIVE',
      fields: { name: 'Winter' },
    })
    const reference = '/api/metafield_definition_types/metaobject_reference'
    const parent = await full.create('/api/categories', {
      title: 'Coats',
      externalId: 'coats',
      description: 'Warm.',
      fields: [{ key: 'season', type: reference, value: season['@id'] }],
    })
    await full.create('/api/categories', { title: 'Wool', parent: parent['@id'] })
    const ask = async (method: string, params: object) => {
      const { body } = await full.post('/mcp', {
        body: { jsonrpc: '2.0', id: 1, method, params },
        headers: { 'content-type': 'application/json', 'service-api-version': version },
        status: 200,
      })
      return body.result
    }
    const { outputSchema } = (await ask('tools/list', {})).tools[0]
    const text = JSON.stringify(outputSchema)
    expect(text).not.toMatch(/"(?:def|shown|_zod|~standard|shape|alsoKnown|leadsTo|passedOver|resource)":/)
    expect(text).not.toContain('#/components')
    // Descriptions of a response are for its reader.
    expect(text).not.toMatch(/[Ww]riting|when absent|-1 is|replaces|left out become/)
    const name = version < '2026-07' ? 'childrens' : 'children'
    for (const given of [{}, { expand: name }, { locale: 'fr-FR' }, { itemsPerPage: 0 }]) {
      const { structuredContent } = await ask('tools/call', { name: 'list_categories', arguments: given })
      expect(structuredContent.totalItems).toBe(2)
      // Closed, a member that is not described is a fault.
      const validate = strictly(closed(outputSchema))
      expect(validate(structuredContent), JSON.stringify(validate.errors)).toBe(true)
    }
  },
)
