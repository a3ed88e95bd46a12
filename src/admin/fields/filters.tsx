import { type ComponentProps, lazy, Suspense } from 'react'
import type { KnownTextInput } from '../collections/known.tsx'

const GroupInput = lazy(async () => ({ default: (await import('./GroupInput.tsx')).GroupInput }))
const KnownText = lazy(async () => ({ default: (await import('../collections/known.tsx')).KnownTextInput }))

/** Filters by a category or a collection, which are loaded when the filter is first opened. */
export function GroupFilter(props: { source: 'category' | 'collection' }) {
  return (
    <Suspense fallback={null}>
      <GroupInput {...props} />
    </Suspense>
  )
}

/** Filters by a text that products have, such as a vendor. Existing texts are offered; another one can be typed. */
export function KnownTextFilter({ source }: { source: ComponentProps<typeof KnownTextInput>['of'] }) {
  return (
    <Suspense fallback={null}>
      <KnownText source={source} of={source} isFilter />
    </Suspense>
  )
}
