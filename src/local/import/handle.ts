/**
 * A handle in the service's form (`^[a-z0-9]+(?:-[a-z0-9]+)*$`): lower case, accents dropped, anything else a dash.
 * Null when nothing is left of it.
 */
export function slug(handle: string): string | null {
  const plain = handle.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const dashed = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return dashed === '' ? null : dashed
}
