/** Whether a request to the database can change nothing: a batch that is read only, or a read that is sent by itself. */
export function onlyReads({ headers, body }: RequestInit): boolean {
  return (
    new Headers(headers).get('neon-batch-read-only') === 'true' ||
    /^\{"query":"select \* from read\w*_alone\(/.test(String(body))
  )
}
