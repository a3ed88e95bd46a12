/** What the service sends to its database. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { neonConfig } from '@neondatabase/serverless'

/** A statement as it is sent. */
export type SentStatement = { readonly query: string; readonly params: readonly unknown[] }

const batches = new AsyncLocalStorage<SentStatement[][]>()
neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
  batches.getStore()?.push(JSON.parse(String(init.body)).queries)
  return fetch(url, init)
}

/**
 * The batches that something sends, in their order: its own alone, though the work of others goes on beside it. Texts of products
 * that are kept when an answer is sent are no part of asking for it.
 */
export async function sentBy(work: () => Promise<unknown>): Promise<readonly (readonly SentStatement[])[]> {
  const sent: SentStatement[][] = []
  await batches.run(sent, work)
  return sent.filter((each) => !keepsTexts(each))
}

function keepsTexts(batch: readonly SentStatement[]): boolean {
  return batch.some(({ query }) => query.startsWith('select keep_rendered('))
}
