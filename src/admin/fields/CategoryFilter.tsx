import { lazy, Suspense } from 'react'

const CategoryInput = lazy(async () => ({ default: (await import('./CategoryInput.tsx')).CategoryInput }))

/** Filters by a category. The categories are loaded when the filter is first opened. */
export function CategoryFilter(props: { source: string }) {
  return (
    <Suspense fallback={null}>
      <CategoryInput {...props} />
    </Suspense>
  )
}
