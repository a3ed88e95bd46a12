import { describe, expect, test } from 'vitest'
import { asOwner } from '../../test/support/database.ts'
import { openWorld, type World } from '../../test/support/webhooks.ts'
import type { Runtime } from '../core/work.ts'
import { type Database, StorageUnavailable } from '../db/client.ts'
import { continueBulkOperations, tenantsWithBulkOperations } from './bulk-operations.ts'

type Line = {
  readonly method?: unknown
  readonly path?: unknown
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly surplus?: number
}

const path = '/api/bulk_operations'
const category = (title: string, more = {}) => ({
  method: 'POST',
  path: '/api/categories',
  body: { title, ...more },
})

async function submit({ shop }: World, lines: readonly (Line | string)[], query = '', asked = {}) {
  const content = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  const body = new Blob([content], { type: 'application/x-ndjson' })
  return (await shop.post(`${path}${query}`, { body, status: 202, ...asked })).body
}

/** Performs the lines, and returns the operation with its results: `201`, or `422 validation.failed`. */
async function perform(world: World, lines: readonly (Line | string)[], query = '', asked = {}) {
  const { '@id': iri } = await submit(world, lines, query, asked)
  await world.drain()
  return outcome(world, iri)
}

async function outcome({ shop }: World, iri: string) {
  const operation = await shop.read(iri)
  const results: Record<string, unknown>[] = []
  for (let next: string | undefined = `${operation.results}?itemsPerPage=100`; next; ) {
    const { member, view } = await shop.read(next)
    results.push(...member)
    next = view?.next
  }
  const short = results.map(({ line, status, problem, assumed }) => {
    const title = (problem as { title?: string } | null)?.title
    return `${line}: ${status}${title === undefined ? '' : ` ${title}`}${assumed === true ? ' assumed' : ''}`
  })
  return { operation, results, short }
}

const titles = async ({ shop }: World): Promise<string[]> =>
  (await shop.read('/api/categories?itemsPerPage=100&order[createdAt]=asc')).member.map(
    ({ title }: { title: string }) => title,
  )

/** Commits of the tenant: events of one commit have moments without gaps. */
async function commits(world: World): Promise<number> {
  const rows = await world.owner(`select count(*)::int as count from (
    select occurred_at - lag(occurred_at) over (order by sequence) as gap from events where tenant_id = $1) e
    where gap is null or gap > interval '1 microsecond'`)
  return Number(rows[0]?.count)
}

/** Whether the cron of each minute sends a message for the tenant. */
async function isDue({ shop: { tenant }, runtime }: World): Promise<boolean> {
  const before = `${tenant.id.slice(0, -12)}${(Number.parseInt(tenant.id.slice(-12), 16) - 1).toString(16).padStart(12, '0')}`
  const { due } = await runtime.database.open(null).read({ due: tenantsWithBulkOperations(before, 1) })
  return due.some(({ id }) => id === tenant.id)
}

describe('a bulk operation', () => {
  test('performs its lines in few commits, and ends with an event', async () => {
    const world = await openWorld()
    await world.subscribe({
      topic: 'bulk_operation/finished',
      callbackUrl: 'https://receiver.example.com/bulk',
    })
    const lines = Array.from({ length: 120 }, (_, n) => category(`C${n}`))
    const { operation, results, short } = await perform(world, lines)
    expect(operation).toMatchObject({
      status: 'FINISHED',
      failure: null,
      lines: 120,
      processed: 120,
      succeeded: 120,
      failed: 0,
      problems: [],
      remainingSeconds: null,
      linesPerSecond: expect.any(Number),
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      expiresAt: expect.any(String),
      version: 2,
    })
    expect(short).toEqual(lines.map((_, index) => `${index + 1}: 201`))
    expect((await titles(world)).length).toBe(100)
    expect(await world.shop.read(String(results[6]?.resource))).toMatchObject({ title: 'C6', version: 1 })
    // Three chunks, and the end.
    expect(await commits(world)).toBe(4)
    world.pass(60_000)
    await world.cron()
    await world.drain()
    expect(world.receipts.map(({ body }) => [body['@id'], body.status, body.problems])).toEqual([
      [operation['@id'], 'FINISHED', null],
    ])
  })

  test('rejects lines without stopping the others', async () => {
    const world = await openWorld()
    const { '@id': iri } = await world.shop.create('/api/categories', { title: 'Old', handle: 'old' })
    const { operation, results, short } = await perform(world, [
      category('A'),
      '{"method": "POST", "path": ',
      '',
      '[]',
      { method: 'GET', path: '/api/categories' },
      { method: 'POST', path: 'https://elsewhere.test/api/categories' },
      { method: 'POST', path: '/api/unknown', body: {} },
      { method: 'DELETE', path: '/api/events' },
      { method: 'PATCH', path: iri, body: { title: 'New' } },
      { method: 'PATCH', path: iri, body: { title: 'Newer' } },
      category('B', { handle: 'old' }),
      category('C', { parent: '/api/categories/01900000-0000-7000-8000-000000000000' }),
      category(''),
      { ...category('D'), surplus: 1 },
      { method: 'DELETE', path: iri },
      { method: 'POST', path: '/api/pictures', body: {} },
      category('E'),
    ])
    expect(short).toEqual([
      '1: 201',
      '2: 400 http.malformed_json',
      '4: 422 validation.type',
      '5: 422 validation.choice',
      '6: 422 validation.pattern',
      '7: 404 http.not_found',
      '8: 405 http.method_not_allowed',
      '9: 200',
      '10: 200',
      '11: 409 category.handle_taken',
      '12: 422 validation.unknown_reference',
      '13: 422 validation.blank',
      '14: 422 validation.unknown_property',
      '15: 204',
      '16: 415 http.unsupported_media_type',
      '17: 201',
    ])
    expect(operation).toMatchObject({
      status: 'FINISHED',
      lines: 17,
      processed: 17,
      succeeded: 5,
      failed: 11,
    })
    expect(operation.problems).toHaveLength(10)
    expect(operation.problems[0]).toMatchObject({
      line: 2,
      status: 400,
      problem: { title: 'http.malformed_json' },
    })
    expect(results[9]?.problem).toMatchObject({ type: '/api/error-codes/CAT-1002', status: 409 })
    expect(await titles(world)).toEqual(['A', 'E'])
    const failed = await world.shop.read(`${operation.results}?failed=true`)
    expect(failed.totalItems).toBe(11)
    const exported = await world.shop.get(operation.results, { headers: { accept: 'application/x-ndjson' } })
    expect(exported.text.trim().split('\n')).toHaveLength(17)
  })

  test('performs lines of one resource in order, and lines that refer to others after them', async () => {
    const world = await openWorld()
    const product = {
      title: 'Shirt',
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      categories: [{ '@id': '$1' }],
    }
    const { operation, results, short } = await perform(world, [
      category('Shirts'),
      category('Polos', { parent: { '@id': '$1' }, description: '$1 and /api/categories/$1' }),
      { method: 'POST', path: '/api/products', body: product },
      {
        method: 'POST',
        path: '/api/products/$3/variants',
        body: { optionValues: [{ option: 'Size', value: 'S' }] },
      },
      {
        method: 'PATCH',
        path: '/api/products/$3',
        body: { title: 'Tee', categories: ['/api/categories/$2'] },
      },
      {
        method: 'POST',
        path: '/api/products/$3/variants',
        body: { optionValues: [{ option: 'Size', value: 'M' }] },
      },
      {
        method: 'POST',
        path: '/api/sale_offers',
        body: { variant: { '@id': '$4' }, amount: '9.00', currency: 'EUR' },
      },
      { method: 'PATCH', path: '/api/products/$9', body: { title: 'Later' } },
      { method: 'PATCH', path: '/api/products/$8', body: { title: 'Rejected' } },
      { method: 'DELETE', path: '/api/products/$3' },
    ])
    expect(short).toEqual([
      '1: 201',
      '2: 201',
      '3: 201',
      '4: 201',
      '5: 200',
      '6: 201',
      '7: 201',
      '8: 422 validation.unknown_reference',
      '9: 422 validation.unknown_reference',
      '10: 204',
    ])
    const [first, second, third] = results.map(({ resource }) => String(resource))
    expect(await world.shop.read(second ?? '')).toMatchObject({
      parent: first,
      description: '$1 and /api/categories/$1',
    })
    expect(await world.shop.read(third ?? '')).toMatchObject({
      title: 'Tee',
      status: 'ARCHIVED',
      categories: [{ '@id': second }],
    })
    expect(operation.problems[1].problem.detail).toContain('Line 8 has created no resource.')
  })

  test('performs lines of one resource in order, whatever names it', async () => {
    const world = await openWorld()
    const { shop } = world
    const product = await shop.create('/api/products', {
      title: 'Shirt',
      externalId: 'shirt',
      options: [{ title: 'Size', values: [{ title: 'S' }] }],
    })
    const iri = product['@id']
    const byName = '/api/products/by-external-id/shirt'
    const [first, second] = [
      await shop.create('/api/categories', { title: 'First' }),
      await shop.create('/api/categories', { title: 'Second' }),
    ]
    const option = product.options[0]['@id']
    const names = Array.from({ length: 8 }, (_, n) => `Size ${n}`)
    const { short } = await perform(world, [
      { method: 'PATCH', path: byName, body: { vendor: 'One' } },
      { method: 'PATCH', path: iri, body: { productType: 'Two' } },
      { method: 'PATCH', path: byName, body: { tags: ['three'] } },
      { method: 'PATCH', path: first['@id'], body: { children: [second['@id']] } },
      { method: 'PATCH', path: second['@id'], body: { title: 'Below' } },
      ...names.map((title) => ({ method: 'POST', path: '/api/option_values', body: { option, title } })),
    ])
    expect(short).toEqual([
      ...Array.from({ length: 5 }, (_, index) => `${index + 1}: 200`),
      ...names.map((_, index) => `${index + 6}: 201`),
    ])
    const after = await shop.read(iri)
    expect(after).toMatchObject({ vendor: 'One', productType: 'Two', tags: ['three'], version: 12 })
    expect(after.options[0].values.map(({ title }: { title: string }) => title)).toEqual(['S', ...names])
    expect(await shop.read(second['@id'])).toMatchObject({ title: 'Below', parent: first['@id'], version: 3 })
  })

  test('performs a line after those that it depends on without naming them', async () => {
    const world = await openWorld()
    const definition = {
      type: 'material',
      name: 'Material',
      displayNameField: 'name',
      fieldDefinitions: [
        { key: 'name', name: 'Name', type: '/api/metafield_definition_types/single_line_text_field' },
      ],
    }
    const { short } = await perform(world, [
      { method: 'POST', path: '/api/metaobject_definitions', body: definition },
      {
        method: 'POST',
        path: '/api/metaobjects',
        body: { definition: { '@id': '$1' }, handle: 'wool', fields: { name: 'Wool' } },
      },
      { method: 'PATCH', path: '/api/products/by-external-id/shirt', body: { title: 'Shirt' } },
      category('Same', { handle: 'same' }),
      category('Same', { handle: 'same' }),
      { method: 'PATCH', path: '/api/products/by-external-id/shirt', body: { title: 'Shirt' } },
    ])
    expect(short).toEqual(['1: 201', '2: 201', '3: 201', '4: 201', '5: 409 category.handle_taken', '6: 200'])
  })

  test('changes many variants of one product in one commit', async () => {
    const world = await openWorld()
    const values = Array.from({ length: 40 }, (_, n) => ({ title: `${n}` }))
    const { '@id': iri, variants } = await world.shop.create('/api/products', {
      title: 'Shirt',
      options: [{ title: 'Size', values }],
      variants: values.map(({ title }) => ({ optionValues: [{ option: 'Size', value: title }] })),
    })
    const before = await commits(world)
    const lines = variants.map(({ '@id': path }: { '@id': string }, n: number) => ({
      method: 'PATCH',
      path,
      body: { sku: `S-${n}` },
    }))
    const { operation } = await perform(world, lines)
    expect(operation).toMatchObject({ succeeded: 40, failed: 0 })
    expect((await commits(world)) - before).toBe(2)
    expect(await world.shop.read(iri)).toMatchObject({ version: 2 })
  })

  test('uses the version, locale, handling and scopes of the submitter', async () => {
    const world = await openWorld()
    const { '@id': parent } = await world.shop.create('/api/categories', { title: 'Parent' })
    const token = await world.shop.token({ scope: 'bulk_operations:write categories:read categories:write' })
    const lines = [
      category('Enfant', { childrens: [parent] }),
      category('Neuf', { surplus: 1 }),
      { method: 'POST', path: '/api/products', body: { title: 'Shirt' } },
    ]
    const asked = { token, version: '2026-01', locale: 'fr-FR', headers: { prefer: 'handling=strict' } }
    const { operation, short } = await perform(world, lines, '', asked)
    expect(short).toEqual(['1: 201', '2: 422 validation.unknown_property', '3: 403 auth.insufficient_scope'])
    expect(operation).toMatchObject({ apiVersion: '2026-01', locale: 'fr-FR' })
    expect(operation.problems[0].problem.message).toMatch(/^La propriété/)
    expect((await world.shop.read('/api/categories', { locale: 'fr-FR' })).member[0]).toMatchObject({
      title: 'Enfant',
      children: [parent],
    })
    const reader = await world.shop.token({ scope: 'bulk_operations:read' })
    const shown = await world.shop.read(operation['@id'], { token: reader })
    expect(shown).toMatchObject({ failed: 2, problems: null })
    const { member } = await world.shop.read(operation.results, { token: reader })
    expect(member.map(({ problem }: { problem: unknown }) => problem)).toEqual([null, null, null])
  })

  test('with an idempotencyKey performs a line once in two files', async () => {
    const world = await openWorld()
    const lines = [
      { ...category('A'), idempotencyKey: 'a' },
      { ...category('A'), idempotencyKey: 'a' },
    ]
    const first = await perform(world, lines)
    const second = await perform(world, lines)
    expect([...first.short, ...second.short]).toEqual(['1: 201', '2: 201', '1: 201', '2: 201'])
    expect([first.operation.unchanged, second.operation.unchanged]).toEqual([1, 2])
    expect(await titles(world)).toEqual(['A'])
  })

  test.each(['', '?dryRun=true'])('counts the lines that change nothing%s', async (query) => {
    const world = await openWorld()
    const { '@id': iri } = await world.shop.create('/api/categories', { title: 'Same', externalId: 'same' })
    const lines = [
      { method: 'PATCH', path: iri, body: { title: 'Same' } },
      { method: 'PATCH', path: '/api/categories/by-external-id/same', body: { title: 'Same' } },
      { method: 'PATCH', path: iri, body: { title: 'Other' } },
      category(''),
      category('B'),
    ]
    const { operation } = await perform(world, lines, query)
    expect(operation).toMatchObject({ processed: 5, succeeded: 4, failed: 1, unchanged: 2 })
  })

  test('stops at the first rejected line with onError=stop', async () => {
    const world = await openWorld()
    const lines = [category('A'), category('B'), category(''), category('C')]
    const { operation, short } = await perform(world, lines, '?onError=stop')
    expect(operation).toMatchObject({
      status: 'FAILED',
      failure: 'line_failed',
      processed: 3,
      succeeded: 2,
      failed: 1,
    })
    expect(short).toEqual(['1: 201', '2: 201', '3: 422 validation.blank'])
    expect(await titles(world)).toEqual(['A', 'B'])
  })

  test('checks each line in a dry run, and stores nothing', async () => {
    const world = await openWorld()
    await world.shop.create('/api/categories', { title: 'Old', handle: 'old' })
    const lines = [
      category('A'),
      category('B', { handle: 'old' }),
      category('C', { parent: { '@id': '$1' } }),
      category('D', { parent: { '@id': '$2' } }),
      '}',
    ]
    const { operation, short } = await perform(world, lines, '?dryRun=true')
    expect(short).toEqual([
      '1: 201',
      '2: 409 category.handle_taken',
      '3: 202 assumed',
      '4: 422 validation.unknown_reference',
      '5: 400 http.malformed_json',
    ])
    expect(operation).toMatchObject({ status: 'FINISHED', dryRun: true, succeeded: 1, failed: 3, assumed: 1 })
    expect(await titles(world)).toEqual(['Old'])
    const { member } = await world.shop.read('/api/events')
    expect(member.map(({ topic }: { topic: string }) => topic)).toEqual([
      'category/created',
      'bulk_operation/finished',
    ])
  })

  test('ends when its token is revoked, and waits while the tenant is suspended', async () => {
    const world = await openWorld()
    const token = await world.shop.token({ claims: { jti: 'revoked-soon' } })
    const lines = [category('A'), category('B')]
    const { '@id': iri } = await submit(world, lines, '', { token })
    await asOwner(`update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1`, [
      world.shop.tenant.id,
    ])
    await world.drain()
    expect(await isDue(world)).toBe(false)
    await asOwner(`update tenants set status = 'ACTIVE', suspended_at = null where id = $1`, [
      world.shop.tenant.id,
    ])
    expect(await world.shop.read(iri)).toMatchObject({ status: 'QUEUED', processed: 0 })
    expect(await isDue(world)).toBe(true)
    await asOwner(
      `insert into revoked_tokens (tenant_id, jti, expires_at) values ($1, 'revoked-soon', now() + interval '1 hour')`,
      [world.shop.tenant.id],
    )
    await continueBulkOperations(world.runtime, world.shop.tenant.id, () => true)
    expect(await world.shop.read(iri)).toMatchObject({
      status: 'FAILED',
      failure: 'token_revoked',
      processed: 0,
    })
    expect(await titles(world)).toEqual([])
    expect(await isDue(world)).toBe(false)
  })

  test('performs no further lines after it is cancelled', async () => {
    const world = await openWorld()
    const { '@id': iri } = await submit(
      world,
      Array.from({ length: 110 }, (_, n) => category(`C${n}`)),
    )
    let checks = 0
    // After the first lines, the worker has no time left.
    await continueBulkOperations(world.runtime, world.shop.tenant.id, () => (checks += 1) < 2)
    expect(await world.shop.read(iri)).toMatchObject({
      status: 'RUNNING',
      processed: 50,
      remainingSeconds: expect.any(Number),
    })
    await world.shop.delete(iri, { status: 204 })
    await world.drain()
    expect(await world.shop.read(iri)).toMatchObject({ status: 'CANCELLED', processed: 50, succeeded: 50 })
    expect(await titles(world)).toHaveLength(50)
  })

  test('performs fewer lines together after slow ones', async () => {
    const world = await openWorld()
    await submit(
      world,
      Array.from({ length: 140 }, (_, n) => category(`C${n}`)),
    )
    const [sizes, durations] = [[] as number[], [3000, 3000, 100, 100, 100]]
    let clock = Date.now()
    const slow: Runtime = {
      ...world.runtime,
      now: () => new Date(clock),
      perform(caller, requests, options) {
        sizes.push(requests.length)
        clock += durations.shift() ?? 0
        return world.runtime.perform(caller, requests, options)
      },
    }
    await continueBulkOperations(slow, world.shop.tenant.id, () => true)
    expect(sizes).toEqual([50, 25, 13, 26, 26])
    expect(await titles(world)).toHaveLength(100)
  })

  test('follows the one before it, and fails if its file was deleted', async () => {
    const world = await openWorld()
    const first = await submit(world, [category('A')])
    const second = await submit(world, [category('B')])
    await asOwner(`delete from bulk_operation_pieces where operation_id = $1`, [first.id])
    await continueBulkOperations(world.runtime, world.shop.tenant.id, () => true)
    expect(await world.shop.read(first['@id'])).toMatchObject({ status: 'FAILED', failure: 'file_expired' })
    expect((await world.shop.read(second['@id'])).status).toBe('QUEUED')
    await world.drain()
    expect((await world.shop.read(second['@id'])).status).toBe('FINISHED')
  })
})

describe('the revert of a bulk operation', () => {
  const undo = async (world: World, iri: string, query = '', asked = {}) => {
    const { body } = await world.shop.post(`${iri}/revert${query}`, { status: 202, ...asked })
    await world.drain()
    return outcome(world, body['@id'])
  }

  test('archives, deletes and restores what its lines created and changed, the latest first', async () => {
    const world = await openWorld()
    const { shop } = world
    const known = await shop.create('/api/products', { title: 'Known', vendor: 'V1' })
    const product = (externalId: string, amount: string) => ({
      method: 'PATCH',
      path: `/api/products/by-external-id/${externalId}`,
      body: {
        title: externalId,
        variants: [{ sku: `sku-${externalId}`, saleOffers: [{ amount, currency: 'EUR' }] }],
      },
    })
    await perform(world, [product('kept', '10.00')])
    const kept = await shop.read('/api/products?externalId[]=kept').then(({ member }) => member[0])
    const offers = () => shop.read(`/api/sale_offers?variant=${kept.variants[0]['@id']}`)
    const before = (await offers()).member[0]
    const { operation } = await perform(world, [
      category('Parent'),
      category('Child', { parent: { '@id': '$1' } }),
      product('new', '20.00'),
      product('kept', '11.00'),
      { method: 'PATCH', path: known['@id'], body: { vendor: 'V2' } },
      { method: 'PATCH', path: known['@id'], body: { vendor: 'V3', productType: 'T' } },
      { method: 'PATCH', path: known['@id'], body: { vendor: null, unknown: 1, title: '' } },
    ])
    expect(operation).toMatchObject({ succeeded: 6, failed: 1 })
    const preview = await undo(world, operation['@id'], '?dryRun=true')
    // A dry run deletes no child, so its parent still has one.
    expect(preview.operation).toMatchObject({ status: 'FINISHED', dryRun: true, reverts: operation['@id'] })
    expect((await shop.read(known['@id'])).vendor).toBe('V3')
    const undone = await undo(world, operation['@id'])
    expect(undone.short).toEqual(['1: 200', '2: 200', '3: 200', '4: 200', '5: 200'])
    expect(undone.results.map(({ resource }) => resource)).toContain(known['@id'])
    expect(undone.operation).toMatchObject({ status: 'FINISHED', reverts: operation['@id'], succeeded: 5 })
    expect(await shop.read(known['@id'])).toMatchObject({ vendor: 'V1', productType: null, title: 'Known' })
    expect((await shop.read('/api/categories')).totalItems).toBe(0)
    expect((await shop.read('/api/products?externalId[]=new')).missing).toEqual(['new'])
    const after = (await offers()).member[0]
    expect({ ...after, version: before.version, updatedAt: before.updatedAt }).toEqual(before)
    // The undone lines are loaded again.
    expect((await perform(world, [product('new', '20.00'), product('kept', '11.00')])).short).toEqual([
      '1: 200',
      '2: 200',
    ])
    // A revert can be undone as well.
    const again = await undo(world, undone.operation['@id'])
    expect(again.operation).toMatchObject({ status: 'FINISHED' })
    expect((await shop.read(known['@id'])).vendor).toBe('V3')
  })

  test('leaves what others changed later, and reports it by line', async () => {
    const world = await openWorld()
    const { shop } = world
    const one = await shop.create('/api/products', { title: 'One' })
    const two = await shop.create('/api/products', { title: 'Two' })
    const rename = (iri: string) => ({ method: 'PATCH', path: iri, body: { title: 'Wrong' } })
    const { operation } = await perform(world, [rename(one['@id']), rename(two['@id'])])
    await shop.update(one['@id'], { title: 'Corrected' })
    const { short, results } = await undo(world, operation['@id'])
    expect(short).toEqual(['1: 200', '2: 409 revert.changed_later'])
    expect(results[1]?.problem).toMatchObject({
      slug: 'revert.changed_later',
      violations: [{ propertyPath: 'title', slug: 'revert.changed_later' }],
    })
    expect((await shop.read(one['@id'])).title).toBe('Corrected')
    expect((await shop.read(two['@id'])).title).toBe('Two')
  })

  test('is rejected before the end, needs the scopes of its lines, and has no lines if nothing was changed', async () => {
    const world = await openWorld()
    const { shop } = world
    const { '@id': iri } = await submit(world, [category('A')])
    expect((await shop.post(`${iri}/revert`, { status: 409 })).body.slug).toBe('bulk_operation.not_ended')
    await world.drain()
    const { operation } = await perform(world, [category('B')], '?dryRun=true')
    expect((await undo(world, operation['@id'])).operation).toMatchObject({ status: 'FINISHED', lines: 0 })
    await shop.post(`${path}/01a21df1-36fe-726e-94a2-081fd6b7eba6/revert`, { status: 404 })
    const reader = await shop.token({ scope: 'bulk_operations:read' })
    await shop.post(`${iri}/revert`, { token: reader, status: 403 })
    const writer = await shop.token({ scope: 'bulk_operations:write bulk_operations:read' })
    const { short } = await undo(world, iri, '', { token: writer })
    expect(short).toEqual(['1: 403 auth.insufficient_scope'])
    const key = { 'idempotency-key': 'undo' }
    const [first, second] = [
      await shop.post(`${iri}/revert`, { headers: key, status: 202 }),
      await shop.post(`${iri}/revert`, { headers: key, status: 202 }),
    ]
    expect(second.body.id).toBe(first.body.id)
  })
})

test('10,000 lines, of which every seventh is rejected, are performed in order', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld()
  const count = 10_000
  const isRejected = (line: number) => line % 7 === 0
  const lines = Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/api/products',
    body: { title: isRejected(index + 1) ? '' : `P${index + 1}` },
  }))
  const started = performance.now()
  const { '@id': iri } = await submit(world, lines)
  const stored = performance.now()
  await world.drain()
  console.info(
    `${Math.round(stored - started)} ms to store, ${Math.round(performance.now() - stored)} ms to perform`,
  )
  const { operation, short } = await outcome(world, iri)
  expect(operation).toMatchObject({ status: 'FINISHED', processed: count, succeeded: 8572, failed: 1428 })
  expect(short).toEqual(
    lines.map((_, index) => `${index + 1}: ${isRejected(index + 1) ? '422 validation.blank' : '201'}`),
  )
  const rows = await world.owner(
    `select document::json ->> 'title' as title from products where tenant_id = $1 order by created_at`,
  )
  expect(rows.map(({ title }) => title)).toEqual(
    lines.flatMap(({ body: { title } }) => (title === '' ? [] : title)),
  )
})

/** A database whose trip of a number, from 1, fails; the number of the last trip is `trips`. */
function failing(database: Database, at: number, failure: 'worker dies' | 'nothing sent' | 'response lost') {
  let trips = 0
  let isDead = false
  const trip = async <Result>(send: () => Promise<Result>): Promise<Result> => {
    trips += 1
    if (isDead) throw new StorageUnavailable('dead')
    if (trips !== at) return send()
    if (failure === 'nothing sent') throw new StorageUnavailable('connection', { mayHaveCommitted: false })
    const result = await send()
    isDead = failure === 'worker dies'
    if (isDead) return result
    throw new StorageUnavailable('connection')
  }
  return {
    get trips() {
      return trips
    },
    database: {
      open(tenantId: string | null) {
        const session = database.open(tenantId)
        return {
          ...session,
          read: (queries) => trip(() => session.read(queries)),
          write: (queries) => trip(() => session.write(queries)),
          apply: (write) => trip(() => session.apply(write)),
        }
      },
    } satisfies Database,
  }
}

describe.each(['worker dies', 'nothing sent', 'response lost'] as const)('if the %s', (failure) => {
  test('at any trip, each line is performed once', async () => {
    const lines = [
      category('A'),
      category('', {}),
      category('B', { parent: { '@id': '$1' } }),
      { method: 'PATCH', path: '/api/categories/$1', body: { description: 'New' } },
      { method: 'POST', path: '/api/webhook_subscriptions', body: {} },
      { method: 'PATCH', path: '/api/categories/$1', body: { title: 'A' } },
    ]
    for (let at = 1, isLast = false; !isLast; at += 1) {
      const world = await openWorld()
      const { '@id': iri } = await submit(world, lines)
      const broken = failing(world.runtime.database, at, failure)
      const tenant = world.shop.tenant.id
      await continueBulkOperations({ ...world.runtime, database: broken.database }, tenant, () => true).catch(
        () => {},
      )
      isLast = broken.trips < at
      await asOwner(`update bulk_operations set leased_until = '-infinity' where tenant_id = $1`, [tenant])
      await continueBulkOperations(world.runtime, tenant, () => true)
      const { operation, short } = await outcome(world, iri)
      const place = `trip ${at}`
      expect(short, place).toEqual([
        '1: 201',
        '2: 422 validation.blank',
        '3: 201',
        '4: 200',
        '5: 201',
        '6: 200',
      ])
      expect(operation, place).toMatchObject({
        status: 'FINISHED',
        processed: 6,
        succeeded: 5,
        failed: 1,
        unchanged: 1,
        version: 2,
      })
      expect(await titles(world), place).toEqual(['A', 'B'])
      const { member } = await world.shop.read('/api/events')
      expect(
        member.map(({ topic }: { topic: string }) => topic),
        place,
      ).toEqual(['category/created', 'category/created', 'category/updated', 'bulk_operation/finished'])
      expect((await world.shop.read('/api/webhook_subscriptions')).totalItems, place).toBe(1)
      expect(operation.problems, place).toHaveLength(1)
    }
  })
})
