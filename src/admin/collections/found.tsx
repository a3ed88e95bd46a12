import { Alert } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useLocale } from 'react-admin'
import { useWatch } from 'react-hook-form'
import { useDebounced } from '../core/debounced.ts'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'

type Condition = { readonly field?: string; readonly operator?: string; readonly value?: unknown }
type Count = { readonly productsCount: number | null; readonly atLeast: number }

/** How many products the rules of the form find, saved or not. */
export function Found() {
  const words = useWords('rules')
  const locale = useLocale()
  const rules = useWatch({ name: 'rules' }) as
    | { match?: string; conditions?: readonly Condition[] }
    | undefined
  const conditions = rules?.conditions ?? []
  const isComplete = conditions.every(
    ({ field, operator, value }) => field && operator && typeof value === 'string' && value.trim() !== '',
  )
  const body = useDebounced(JSON.stringify({ rules }))
  const { data, error, isFetching } = useQuery({
    queryKey: ['products', 'found', body],
    enabled: isComplete && conditions.length > 0,
    queryFn: async ({ signal }) =>
      (await call<Count>('/api/collections/count', { method: 'POST', body, signal })).json,
    placeholderData: (before) => before,
    staleTime: 0,
  })
  const number = new Intl.NumberFormat(locale)
  const text =
    conditions.length === 0
      ? words.empty
      : !isComplete
        ? words.incomplete
        : error
          ? error.message
          : data === undefined
            ? words.counting
            : data.productsCount === null
              ? words.findsMore(number.format(data.atLeast))
              : words.finds(number.format(data.productsCount))
  return (
    <Alert
      severity={error && isComplete ? 'warning' : 'info'}
      role="status"
      aria-busy={isFetching}
      sx={{ mt: 2 }}
    >
      {text}
    </Alert>
  )
}
