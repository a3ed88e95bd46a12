import { httpProblems } from '../core/problems/index.ts'

/** Demands that the caller takes one of the JSON media types (RFC 9110 §12.5.1). @throws 406 `http.not_acceptable` */
export function demandAcceptable(headers: Headers): void {
  const accept = headers.get('accept')
  if (accept === null || accept.trim() === '') return
  const ranges = accept.split(',').map(mediaRange)
  if (!['application/ld+json', 'application/json'].some((type) => weight(type, ranges) > 0)) {
    throw httpProblems.not_acceptable()
  }
}

type MediaRange = { readonly type: string; readonly weight: number }

function mediaRange(text: string): MediaRange {
  const [type, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((each) => each.startsWith('q='))?.slice(2)
  const sound = q === undefined || /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q)
  return { type: type ?? '', weight: sound ? Number(q ?? 1) : 0 }
}

/** The most specific range decides. */
function weight(type: string, ranges: readonly MediaRange[]): number {
  for (const candidate of [type, 'application/*', '*/*']) {
    const matching = ranges.filter((range) => range.type === candidate)
    if (matching.length > 0) return Math.max(...matching.map((range) => range.weight))
  }
  return 0
}
