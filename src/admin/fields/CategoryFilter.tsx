import { lazy, Suspense } from 'react'

const CategoryInput = lazy(async () => ({ default: (await import('./CategoryInput.tsx')).CategoryInput }))

/** Filters by a category; what it chooses from is loaded once somebody wants it. */
export function CategoryFilter(props: { source: string }) {
  return (
    <Suspense fallback={null}>
      <CategoryInput {...props} />
    </Suspense>
  )
}
