/** The checks of `npm run doctor` and `npm run verify`: how they are declared, run and reported. */
import * as z from 'zod'
import { flag, reasonOf, repeated, type Surroundings, text } from './command.ts'
import { table } from './output.ts'

/** The observation of a check contradicts what it requires. */
export class Failed extends Error {}

/** The check cannot run from here, or was not requested. */
export class NotTried extends Error {}

/** An observation that needs a next step: its own one, or else the advice of its check. */
export type Problem = {
  readonly state: 'warn' | 'fail' | 'not tried'
  readonly seen: string
  readonly next?: string | undefined
}

export const fail = (seen: string, next?: string): Problem => ({ state: 'fail', seen, next })
export const warn = (seen: string, next?: string): Problem => ({ state: 'warn', seen, next })

type Observed = string | readonly Problem[]

export type Check<Context> = {
  readonly name: string
  /** The next step after a failure. */
  readonly advice: string
  /** Returns an observation, or problems. An error is a failure, and its message the observation. */
  readonly run: (context: Context) => Observed | Promise<Observed>
}

/** A line of the report. */
export type Result = {
  readonly check: string
  readonly state: 'ok' | Problem['state']
  /** The observation, in a sentence. */
  readonly seen: string
  /** The next step; null if none is needed. */
  readonly next: string | null
  readonly ms: number
}

/** Runs a check. It never rejects. */
export async function resultsOf<Context>(check: Check<Context>, context: Context): Promise<Result[]> {
  const started = performance.now()
  const observed = await observe(check, context)
  const common = { check: check.name, ms: Math.round(performance.now() - started) }
  if (typeof observed === 'string') return [{ ...common, state: 'ok', seen: observed, next: null }]
  return observed.map(({ state, seen, next = state === 'not tried' ? null : check.advice }) => ({
    ...common,
    state,
    seen,
    next,
  }))
}

async function observe<Context>({ run }: Check<Context>, context: Context): Promise<Observed> {
  try {
    return await run(context)
  } catch (error) {
    return [{ state: error instanceof NotTried ? 'not tried' : 'fail', seen: reasonOf(error) }]
  }
}

/** Runs checks one after the other. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
): Promise<Result[]> {
  const results: Result[] = []
  for (const check of checks) results.push(...(await resultsOf(check, context)))
  return results
}

/** The options of a command that runs checks. */
export function checkOptions(checks: readonly { readonly name: string }[]) {
  const names = checks.map(({ name }) => name)
  const name = text.refine((value) => names.includes(value), `is one of these checks: ${names.join(', ')}`)
  return {
    only: repeated('CHECK', 'runs only this check, by its name', z.array(name).default([])),
    json: flag('prints the results as JSON'),
  }
}

/** The paragraph of the help that lists the checks. */
export const checkNote = (checks: readonly { readonly name: string }[]): string =>
  `The checks: ${checks.map(({ name }) => name).join(', ')}.`

/** The checks that `--only` selects: all if it is not given. */
export function selectedChecks<Selected extends { readonly name: string }>(
  checks: readonly Selected[],
  only: readonly string[],
): Selected[] {
  return checks.filter(({ name }) => only.length === 0 || only.includes(name))
}

/** Prints the results, as JSON together with `facts`. Returns the exit code: 1 if a check failed. */
export function report(
  results: readonly Result[],
  { json, print, ...facts }: Pick<Surroundings, 'print'> & { json: boolean; url?: string; mark?: string },
): number {
  const count = (state: Result['state']) => results.filter((result) => result.state === state).length
  const [ok, warned, failed, notTried] = [count('ok'), count('warn'), count('fail'), count('not tried')]
  const width = Math.max(...results.map(({ ms }) => String(ms).length))
  const rows = results.map(({ state, check, ms, seen }) => {
    return [state, check, `${String(ms).padStart(width)} ms`, seen.replaceAll('\n', ' ')]
  })
  const lines = table(rows).split('\n')
  const text = results.flatMap(({ next }, index) => [
    lines[index] ?? '',
    ...(next === null ? [] : [`      → ${next}`]),
  ])
  const summary = `${ok} ok, ${warned} to look at, ${failed} failed, ${notTried} not tried`
  const counts = { ok, warn: warned, fail: failed, 'not tried': notTried }
  print(json ? JSON.stringify({ ...facts, ...counts, checks: results }) : [...text, '', summary].join('\n'))
  return failed > 0 ? 1 : 0
}
