import { budgets } from './budgets.ts'
import { bytesOf, type Value } from './document.ts'
import type { Answer } from './operation.ts'
import { bytesAtMost } from './utf8.ts'
import type { View } from './view.ts'

/** Bytes for what surrounds the members of a page: its links, none longer than an address, and its search template. */
const envelope = 100_000

/** The members of a list that fit into an answer of so many bytes, rendered as text or as UTF-8, and the links that go on from there. */
export function fitting<Rendered extends string | Uint8Array>(
  { members, view, backward }: Answer & { kind: 'collection' },
  render: (document: Value) => Rendered,
  most: number = budgets.answer,
): { readonly texts: readonly Rendered[]; readonly view: View | undefined } {
  if (!view) return { texts: members.map(render), view: undefined }
  const texts: Rendered[] = []
  let left = most - envelope
  let uncounted: string[] = []
  // One is shown whatever its size: a list that cannot go on would end there for good.
  for (const member of backward ? members.toReversed() : members) {
    const text = render(member)
    // Bytes are counted only where lengths do not tell that there is room, which they nearly always do.
    left -= (typeof text === 'string' ? bytesAtMost(text) : text.byteLength) + 1
    if (typeof text === 'string') uncounted.push(text)
    if (left < 0) {
      left += uncounted.reduce((sum, each) => sum + bytesAtMost(each) - bytesOf(each), 0)
      uncounted = []
    }
    if (left < 0 && texts.length > 0) break
    texts.push(text)
  }
  return { texts: backward ? texts.reverse() : texts, view: view(texts.length) }
}
