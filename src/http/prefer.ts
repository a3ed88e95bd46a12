/** Whether the request prefers strict handling over tolerance (`Prefer: handling=strict`, RFC 7240 §4.4). */
export function prefersStrictHandling(headers: Headers): boolean {
  const preferences = (headers.get('prefer') ?? '').toLowerCase().split(/[,;]/)
  return preferences.some((each) => /^\s*handling\s*=\s*"?strict"?\s*$/.test(each))
}
