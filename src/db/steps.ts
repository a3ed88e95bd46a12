/**
 * Steps of a write, which the SQL function `write()` does one after the other in one statement: it is sent once, waited for once,
 * and what it runs is planned once on a connection.
 */
import { sql } from 'drizzle-orm'
import type { Statement, Step } from './statement.ts'

/** A statement that is a step. */
export function stepStatement(step: Step): Statement {
  return {
    step,
    get query() {
      return written([JSON.stringify(step)])
    },
  }
}

/** Characters of the steps of one statement: what is larger has its own, and so its own time limit. */
const mostJoined = 500_000

/** The same statements in the same order; those of neighbouring steps are one, which returns `written`: what commit() gave, if it is among them. */
export function joined(statements: readonly Statement[]): Statement[] {
  const result: Statement[] = []
  let steps: string[] = []
  let size = 0
  const end = () => {
    if (steps.length > 0) result.push({ query: written(steps) })
    steps = []
    size = 0
  }
  for (const each of statements) {
    const text = each.step && JSON.stringify(each.step)
    if (text === undefined || size + text.length > mostJoined) end()
    if (text === undefined) result.push(each)
    else {
      steps.push(text)
      size += text.length
    }
  }
  end()
  return result
}

function written(steps: readonly string[]) {
  return sql`select write(${`[${steps.join(',')}]`}::jsonb) as written`
}
