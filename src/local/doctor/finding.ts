/** The result of one check of `npm run doctor`. */
export type Finding = {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  /** The observation, in a sentence. */
  readonly seen: string
  /** The next step; null if none is needed. */
  readonly next: string | null
}

export const ok = (check: string, seen: string): Finding => ({ check, state: 'ok', seen, next: null })
export const warn = (check: string, seen: string, next: string): Finding => ({
  check,
  state: 'warn',
  seen,
  next,
})
export const fail = (check: string, seen: string, next: string): Finding => ({
  check,
  state: 'fail',
  seen,
  next,
})

/** The findings of a check, or that all was well. */
export const orOk = (check: string, findings: readonly Finding[], seen: string): Finding[] =>
  findings.length > 0 ? [...findings] : [ok(check, seen)]

/** How many there are of something: `1 tenant`, `2 tenants`. */
export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A length of time for people: `40 s`, `12 min`, `3 h`, `2 days`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
