import { httpProblems } from '../core/problems/index.ts'

/** One entity tag of RFC 9110 §8.8.3, with what separates it from the next. */
const tag = /\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y

/**
 * The versions that `If-Match` allows: tags are `"{version}.{hash}"`, of which only the version counts. `W/` is ignored,
 * against RFC 9110 §13.1.1: a proxy that compresses an answer weakens its tag, and the version that it names stays exact.
 * Null without the header. @throws 400 `http.malformed_header`
 */
export function ifMatchOf(headers: Headers): readonly number[] | '*' | null {
  const value = headers.get('if-match')
  if (value === null || value.trim() === '*') return value === null ? null : '*'
  const versions = tagsOf(value, 'If-Match').flatMap((text) => {
    const version = /^(\d{1,9})\./.exec(text)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
  return versions.length > 0 ? versions : [-1]
}

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 §13.1.2). @throws 400 `http.malformed_header` */
export function isNotModified(headers: Headers, etag: string): boolean {
  const value = headers.get('if-none-match')
  if (value === null) return false
  if (value.trim() === '*') return true
  const text = etag.replace(/^W\//, '').slice(1, -1)
  return tagsOf(value, 'If-None-Match').includes(text)
}

/** The texts between the quotes of a list of entity tags. */
function tagsOf(value: string, header: string): string[] {
  const tags: string[] = []
  const trimmed = value.trimEnd()
  tag.lastIndex = 0
  while (tag.lastIndex < trimmed.length || tags.length === 0) {
    const found = tag.exec(trimmed)
    if (!found) throw httpProblems.malformed_header({ header })
    tags.push(found[1] ?? '')
  }
  return tags
}
