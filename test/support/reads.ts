/** Whether a request to the database is a read, which cannot write (`src/db/client.ts`). */
export function onlyReads({ body }: RequestInit): boolean {
  return String(body).startsWith('{"query":"select * from run_reads(')
}
