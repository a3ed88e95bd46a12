import type { Samples } from '../support/sampling.ts'

const file = (title: string) =>
  new Blob([JSON.stringify({ method: 'POST', path: '/api/categories', body: { title } })], {
    type: 'application/x-ndjson',
  })

export const samples: Samples = async ({ post, next, delete: remove }) => {
  const operations: { id: string }[] = []
  for (let count = 0; count < 3; count += 1) {
    const { status, body } = await post('/api/bulk_operations', { body: file(next()) })
    if (status !== 202) throw new Error(`POST /api/bulk_operations → ${status}`)
    operations.push(body)
  }
  const [{ id }, spare, ended] = operations as [{ id: string }, { id: string }, { id: string }]
  await remove(`/api/bulk_operations/${ended.id}`)
  return {
    createBulkOperation: () => ({ params: {}, body: file(next()) }),
    listBulkOperations: () => ({ params: {} }),
    getBulkOperation: () => ({ params: { id } }),
    cancelBulkOperation: () => ({ params: { id: spare.id } }),
    listBulkOperationResults: () => ({ params: { id } }),
    revertBulkOperation: () => ({ params: { id: ended.id } }),
  }
}
