/** The errors of /mcp. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Asked, openShop, type Reply, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const json = { 'content-type': 'application/json' }
const calling = (given?: unknown, name = 'list_categories') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})

function post(body: unknown, { headers, ...asked }: Asked = {}): Promise<Reply> {
  return shop.post('/mcp', { body, headers: { ...json, ...headers }, ...asked })
}

describe('who may call', () => {
  test('a caller without a token is sent to the metadata of this address', async () => {
    const refused = await post(calling(), { token: null, status: 401 })
    const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1]
    expect(address).toBe(`http://${shop.host}/.well-known/oauth-protected-resource/mcp`)
    const metadata = await shop.read(new URL(address!).pathname, { token: null })
    expect(metadata).toMatchObject({
      resource: `http://${shop.host}/mcp`,
      authorization_servers: [shop.tenant.issuer],
      scopes_supported: expect.arrayContaining(['categories:read']),
    })
  })

  test('a token without the scope is 403 with the challenge that names it', async () => {
    const token = await shop.token({ scope: 'products:read categories:write' })
    const refused = await post(calling({ page: 'wrong' }), { token, status: 403 })
    expect(refused.body.slug).toBe('auth.insufficient_scope')
    expect(refused.headers.get('WWW-Authenticate')).toContain('scope="categories:read"')
    const batch = await post([calling(), { ...calling(), id: 2 }], { token, status: 403 })
    expect(batch.body.slug).toBe('auth.insufficient_scope')
  })

  test('a person needs the permission as well', async () => {
    const refused = await post(calling(), { token: await shop.token({ sub: 'person' }), status: 403 })
    expect(refused.body.missingPermissions).toEqual(['identity:categories:read'])
    const token = await shop.token({ sub: 'person', permissions: ['identity:categories:read'] })
    expect((await post(calling(), { token, status: 200 })).body.result.structuredContent.items).toEqual([])
  })

  test('a token meant for this address is good here and nowhere else', async () => {
    const token = await shop.token({ claims: { aud: `http://${shop.host}/mcp` } })
    await post(calling(), { token, status: 200 })
    await shop.get('/api/categories', { token, status: 401 })
    const elsewhere = await shop.token({ claims: { aud: 'http://other.test/mcp' } })
    await post(calling(), { token: elsewhere, status: 401 })
    const both = await shop.token({ claims: { aud: [shop.tenant.audience, `http://${shop.host}/mcp`] } })
    await post(calling(), { token: both, status: 401 })
  })
})

describe('where from', () => {
  test.each([
    ['http://evil.example', 403],
    ['null', 403],
    ['', 403],
    ['https://%HOST%', 403],
    ['http://%HOST%:8080', 403],
    ['http://%HOST%.evil.example', 403],
    ['http://%HOST%', 200],
  ])('a page of %j is %i', async (origin, status) => {
    const headers = { origin: origin.replace('%HOST%', shop.host) }
    const reply = await post(calling(), { headers, status })
    if (status === 403) expect(reply.body.slug).toBe('http.foreign_origin')
  })
})

describe('how', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('%s is 405 with Allow', async (method) => {
    for (const token of [undefined, null]) {
      const reply = await shop.request(method, '/mcp', {
        headers: { accept: 'text/event-stream' },
        status: 405,
        ...(token === null && { token }),
      })
      expect(reply.headers.get('Allow')).toBe('POST, OPTIONS')
    }
  })

  test('another content type is 415, another Accept 406, an unknown version 400', async () => {
    await post('{}', { headers: { 'content-type': 'text/plain' }, status: 415 })
    await post(calling(), { headers: { accept: 'text/html' }, status: 406 })
    expect((await post(calling(), { version: '2020-01', status: 400 })).body.slug).toBe('version.unknown')
  })

  test('an unknown revision is 400', async () => {
    const headers = { 'mcp-protocol-version': '1999-01-01' }
    const reply = await post(calling(), { headers, status: 400 })
    expect(reply.body.error.code).toEqual(expect.any(Number))
  })
})

describe('arguments', () => {
  test.each([
    [{ page: 0 }, ['page']],
    [{ page: -1 }, ['page']],
    [{ page: 1.5 }, ['page']],
    [{ page: '1' }, ['page']],
    [{ page: 1e300 }, ['page']],
    [{ itemsPerPage: true }, ['itemsPerPage']],
    [{ parent: 7 }, ['parent']],
    [{ parent: 'nothing' }, ['parent']],
    [{ parent: '/api/products/01900000-0000-7000-8000-000000000000' }, ['parent']],
    [{ expand: 'child' }, ['expand']],
    [{ expand: 'children.children.children.children' }, ['expand']],
    [{ expand: ['children'] }, ['expand']],
    [{ locale: 'french' }, ['locale']],
    [{ locale: {} }, ['locale']],
    [{ pages: 2 }, ['pages']],
    [{ handle: 'shoes' }, ['handle']],
    [{ page: 0, parent: '', locale: 'x' }, ['page', 'parent', 'locale']],
  ])('%j is an error of the tool that names the place', async (given, paths) => {
    const { body } = await post(calling(given), { locale: 'fr-FR', status: 200 })
    expect(body.result.isError).toBe(true)
    const problem = JSON.parse(body.result.content[0].text)
    const found = problem.violations.map((each: { propertyPath: string }) => each.propertyPath)
    expect(found.toSorted()).toEqual(paths.toSorted())
  })

  test('the error for an unknown argument is an error of the tool', async () => {
    const { body } = await post(calling({ pages: 2 }))
    const problem = JSON.parse(body.result.content[0].text)
    expect(problem).toMatchObject({
      slug: 'validation.unknown_argument',
      message: 'The argument “pages” is not recognized here (→ page).',
    })
    expect(body.result.content[0].text).not.toMatch(/Prefer|header|query/)
  })

  test('an error of the tool is in the caller’s language', async () => {
    const { body } = await post(calling({ page: 0 }), { locale: 'fr-FR' })
    const english = await post(calling({ page: 0 }), { locale: 'en-US' })
    const message = ({ result }: Reply['body']) => JSON.parse(result.content[0].text).message
    expect(message(body)).not.toBe(message(english.body))
  })

  test('null is the same as absent', async () => {
    const given = { page: null, itemsPerPage: null, parent: null, expand: null, locale: null }
    expect((await post(calling(given))).body.result.structuredContent.page).toBe(1)
  })

  test('a page past the end is empty, a size beyond the most is the most', async () => {
    const { body } = await post(calling({ page: 2 ** 40, itemsPerPage: 1000 }))
    expect(body.result.structuredContent).toEqual({
      items: [],
      totalItems: 0,
      page: 999_999_999,
      nextPage: null,
    })
  })

  test('an unknown tool is an error of the protocol', async () => {
    const { body } = await post(calling({}, 'drop_tables'))
    expect(body.error.code).toBe(-32_602)
  })
})

describe('a method that the server does not have', () => {
  const modern = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const methods = [
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
    ['subscriptions/listen', {}],
    ['resources/list', {}],
    ['resources/read', { uri: 'file:///etc/passwd' }],
    ['resources/templates/list', {}],
    ['resources/subscribe', { uri: 'a:b' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'a' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a', value: 'b' } }],
    ['logging/setLevel', { level: 'debug' }],
    ['tasks/get', { taskId: 'a' }],
    ['tasks/list', {}],
    ['roots/list', {}],
    ['sampling/createMessage', {}],
    ['elicitation/create', {}],
    ['constructor', {}],
    ['no/such', {}],
  ] as const

  test.each(methods)('%s %j is 404 and -32601 in the newest revision', async (method, params) => {
    const [named] = Object.entries(params).flatMap(([name, value]) =>
      /^(?:uri|name|taskId)$/.test(name) ? [String(value)] : [],
    )
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': named }),
    }
    const body = { jsonrpc: '2.0', id: 'a', method, params: { ...params, ...modern } }
    const reply = await post(body, { headers, status: 404 })
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: 'a', error: { code: -32_601 } })
  })

  // Before 2025-06-18 there is no header; without one the revision is 2025-03-26.
  describe.each(['2025-11-25', '2025-06-18', '2025-03-26', null])('in revision %s', (revision) => {
    test.each(methods)('%s %j is 200 and -32601', async (method, params) => {
      const headers = { 'mcp-protocol-version': revision }
      const reply = await post({ jsonrpc: '2.0', id: 7, method, params }, { headers, status: 200 })
      expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32_601 } })
    })
  })
})
