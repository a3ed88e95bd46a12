import type { Statement } from './statement.ts'

/** Statements that are read together, and what is made of their rows. */
export type Reading<Result = unknown> = {
  readonly statements: readonly Statement[]
  /** Makes the result of the statements' rows, given in the statements' order. */
  readonly take: (rows: readonly (readonly unknown[])[]) => Result
}

/** What is sent in one batch, by name. */
export type Readings = Readonly<Record<string, Statement | Reading>>

/** What a reading gives: of a single statement, its rows. */
export type ResultOf<Each> =
  Each extends Reading<infer Result> ? Result : Each extends Statement<infer Row> ? Row[] : never

/** What a batch gives, by the names of what was sent. */
export type Results<Sent extends Readings> = { readonly [Name in keyof Sent]: ResultOf<Sent[Name]> }

/** Several readings as one. */
export function gathered<Sent extends Readings>(readings: Sent): Reading<Results<Sent>> {
  const parts = Object.entries(readings).map(([name, each]) => {
    const { statements, take } = 'query' in each ? { statements: [each], take: soleRows } : each
    return { name, statements, take }
  })
  return {
    statements: parts.flatMap((each) => each.statements),
    take(rows) {
      let at = 0
      const results = parts.map(({ name, statements, take }) => {
        const own = rows.slice(at, at + statements.length)
        at += statements.length
        return [name, take(own)]
      })
      return Object.fromEntries(results)
    },
  }
}

/** Readings of one kind, as many as there are. */
export function listed<Each extends Statement | Reading>(
  readings: readonly Each[],
): Reading<ResultOf<Each>[]> {
  const named = Object.fromEntries(readings.map((each, index) => [`nth${index}`, each]))
  return made(gathered(named), (results) => Object.values(results))
}

/** A reading whose result is turned into another. */
export function made<From, To>(reading: Reading<From>, make: (result: From) => To): Reading<To> {
  return { statements: reading.statements, take: (rows) => make(reading.take(rows)) }
}

/** Statements whose rows nobody reads. */
export function effects(statements: readonly Statement[]): Reading<null> {
  return { statements, take: () => null }
}

/** What is read where nothing is asked for. */
export const nothing: Reading<null> = effects([])

function soleRows([rows]: readonly (readonly unknown[])[]): readonly unknown[] {
  return rows ?? []
}
