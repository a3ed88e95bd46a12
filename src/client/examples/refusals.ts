/** Errors that the types detect: a line without an error would not compile. */
import { createCatalogueClient } from '../index.ts'

const options = { baseUrl: 'https://acme.example', token: 'token' }

export async function refusals() {
  // @ts-expect-error an unknown version
  createCatalogueClient({ ...options, version: '2025-01' })
  const old = createCatalogueClient({ ...options, version: '2026-04' })
  const now = createCatalogueClient({ ...options, version: '2026-10' })
  const item = { params: { path: { id: '019aa000-0000-7000-8000-000000000001' } } }
  // @ts-expect-error a name of a later version
  const later = (await old.GET('/api/categories/{id}', item)).data?.children
  // @ts-expect-error a name of an earlier version
  const earlier = (await now.GET('/api/categories/{id}', item)).data?.childrens
  // @ts-expect-error a path that only the rolling version has
  await now.GET('/api/webhook_subscriptions/{id}', item)
  // @ts-expect-error a title is required
  await now.POST('/api/products', { body: { vendor: 'Acme' } })
  // @ts-expect-error a status is one of three
  await now.PATCH('/api/products/{id}', { ...item, body: { status: 'SOLD' } })
  // @ts-expect-error an unknown filter
  await now.GET('/api/products', { params: { query: { colour: 'red' } } })
  return { later, earlier }
}
